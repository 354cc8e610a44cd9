/// A writable view of one part of a shared value, which is a shared value itself.
///
/// Each write is an update of the whole value. Processes that write through different lenses, or change the whole
/// value with `update(_:)`, therefore keep each other's changes.
///
/// - **Reading:** ``value`` never waits. Subscribers of a part that is `Equatable` are not called when only other parts
///   change.
/// - **Writing:** `write(_:)` replaces the part; among several writers of the part, the last one wins. `update(_:)`
///   changes it exclusively. Both read the stored value first, so they throw if it cannot be decoded, even where a
///   write of the whole value would replace it.
/// - **Composition:** `lens(_:)` of a lens is a lens of the same stored value.
/// - **Lifetime:** The lens, its ``property`` and its subscriptions keep the stored value observed.
/// - **Observation:** Swift Observation announces the changes of the whole value, as for every derived value. A view
///   may therefore create a lens in its body without keeping it.
public struct SharedLens<Source: SharedValue, Value: Sendable>: SharedValue {
  /// The type of the errors that prevent access to the stored value.
  public typealias AccessError = Source.AccessError

  /// The part as an observable property.
  public let property: Property<Value>

  fileprivate let source: Source
  fileprivate let keyPath: any WritableKeyPath<Source.Value, Value> & Sendable

  /// The last known good value of the part.
  ///
  /// Reading it never waits for another process.
  public var value: Value { property.value }

  /// The relation of the whole value to the stored one.
  public var status: Property<SharedValueStatus<AccessError>> { source.status }

  /// The errors that keep the whole value from following the stored one.
  public var failures: Source.Failures { source.failures }

  /// Reads the stored value, and returns the part.
  ///
  /// - Returns: The stored part, which may be newer than ``value``.
  /// - Throws: An error if the stored value cannot be read or decoded.
  public func read() async throws -> Value {
    try await source.read()[keyPath: keyPath]
  }

  /// Replaces the part in the stored value.
  ///
  /// - Parameter value: The new part.
  /// - Throws: An error if the stored value cannot be decoded or changed. It is then unchanged.
  public func write(_ value: Value) async throws {
    try await update { $0 = value }
  }

  /// Changes the part exclusively, so that no concurrent change of the stored value by any process is lost.
  ///
  /// - Parameter body: A closure that changes its argument, the stored part.
  /// - Returns: The result of `body`.
  /// - Throws: The error that `body` throws, or an error if the change could not be made. The stored value is then
  ///   unchanged.
  @discardableResult
  public func update<Result: Sendable>(
    _ body: @escaping @Sendable (inout Value) throws -> Result
  ) async throws -> Result {
    try await source.update { [keyPath] in try body(&$0[keyPath: keyPath]) }
  }
}

extension SharedLens: BlockingSharedValue where Source: BlockingSharedValue {
  /// Reads the stored value while this thread waits, and returns the part.
  ///
  /// - Returns: The stored part, which may be newer than ``value``.
  /// - Throws: An error if the stored value cannot be read or decoded.
  public func read() throws -> Value {
    try source.read()[keyPath: keyPath]
  }

  /// Replaces the part in the stored value while this thread waits.
  ///
  /// - Parameter value: The new part.
  /// - Throws: An error if the stored value cannot be decoded or changed. It is then unchanged.
  public func write(_ value: Value) throws {
    try update { $0 = value }
  }

  /// Changes the part exclusively while this thread waits, so that no concurrent change by any process is lost.
  ///
  /// - Parameters:
  ///   - overwriting: A Boolean value that determines whether to replace a stored value that cannot be decoded. If
  ///     `true`, the part of the last good value is changed.
  ///   - body: A closure that changes its argument, on this thread. Keep it short, because other writers wait.
  /// - Returns: The result of `body`.
  /// - Throws: The error that `body` throws, or an error if the change could not be made. The stored value is then
  ///   unchanged.
  @discardableResult
  public func update<Result>(overwriting: Bool = false, _ body: (inout Value) throws -> Result) throws -> Result {
    try source.update(overwriting: overwriting) { try body(&$0[keyPath: keyPath]) }
  }

  /// Changes the part exclusively, without blocking the threads that tasks run on.
  ///
  /// - Parameters:
  ///   - overwriting: A Boolean value that determines whether to replace a stored value that cannot be decoded. If
  ///     `true`, the part of the last good value is changed.
  ///   - body: A closure that changes its argument, the stored part. It cannot suspend.
  /// - Returns: The result of `body`.
  /// - Throws: The error that `body` throws, or an error if the change could not be made. The stored value is then
  ///   unchanged.
  @discardableResult
  public func update<Result: Sendable>(
    overwriting: Bool = false, _ body: @escaping @Sendable (inout Value) throws -> Result
  ) async throws -> Result {
    try await source.update(overwriting: overwriting) { [keyPath] in try body(&$0[keyPath: keyPath]) }
  }
}

extension SharedValue {
  /// Returns a writable view of one part of the value.
  ///
  /// - Parameters:
  ///   - keyPath: The path from the value to its part.
  ///   - file: The file that an explanation of misuse names; by default the caller's.
  ///   - line: The line that an explanation of misuse names; by default the caller's.
  /// - Returns: A lens, which sends a part only if it differs from the previous one.
  public func lens<Part: Equatable & Sendable>(
    _ keyPath: any WritableKeyPath<Value, Part> & Sendable, file: StaticString = #fileID, line: UInt = #line
  ) -> SharedLens<Self, Part> {
    SharedLens(
      property: .derived(property, { $0[keyPath: keyPath] }, file: file, line: line), source: self, keyPath: keyPath)
  }

  /// Returns a writable view of one part of the value, for a part that is not `Equatable`.
  ///
  /// The lens sends its part after every change of the value.
  public func lens<Part: Sendable>(
    _ keyPath: any WritableKeyPath<Value, Part> & Sendable, file: StaticString = #fileID, line: UInt = #line
  ) -> SharedLens<Self, Part> {
    SharedLens(
      property: .derived(property, { $0[keyPath: keyPath] }, file: file, line: line), source: self, keyPath: keyPath)
  }
}
