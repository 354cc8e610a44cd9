/// An error that is thrown instead of replacing a value that has changed since it was read.
///
/// Files, values of suites, values of a cluster and rows of a database throw it. Read the value again, and let the user
/// decide, or pass a closure that merges the changes of both writers. Its description contains no values, which may be
/// secret.
public struct WriteConflict<Value: Sendable>: Error {
  /// The value that is stored now, or `nil` if the row was deleted.
  public let stored: Value?

  package init(stored: Value?) {
    self.stored = stored
  }
}

extension WriteConflict: Equatable where Value: Equatable {}

extension WriteConflict: CustomStringConvertible, CustomDebugStringConvertible {
  /// A description of the conflict and the remedy.
  public var description: String {
    let event = stored == nil ? "was deleted" : "was changed"
    return "Can't replace the \(Value.self): it \(event) by another writer since it was read. Read it again, or pass a "
      + "closure that merges both changes as `merging:`."
  }

  /// The same as ``description``.
  public var debugDescription: String { description }
}

extension WriteConflict where Value: Equatable {
  /// Returns the value to store: the new one if the stored value is unchanged, or else the merged one.
  ///
  /// - Parameters:
  ///   - mine: The new value.
  ///   - base: The value that the new one was made from.
  ///   - stored: The stored value.
  ///   - merge: A closure that merges the new and the stored value, or `nil` if that is not possible.
  /// - Returns: The value to store.
  /// - Throws: ``WriteConflict``, or the error of `merge`.
  package static func resolve(
    _ mine: Value, _ base: Value, _ stored: Value, _ merge: ((Value, Value, Value) throws -> Value)?
  ) throws -> Value {
    if stored == base || stored == mine { return mine }
    guard let merge else { throw WriteConflict(stored: stored) }
    return try merge(base, mine, stored)
  }
}

extension SharedValue where Value: Equatable {
  /// Stores a value that was made from an earlier one, unless the stored value has changed since then.
  ///
  /// Use it for a value that a person has edited for a while, where ``SharedValue/update(_:)`` cannot make the change
  /// again. Values count as changed if `==` says so, and a value that was changed back counts as unchanged.
  ///
  /// - Parameters:
  ///   - value: The new value.
  ///   - base: The value that the new one was made from, as it was read.
  ///   - merge: A closure that merges both changes if there is a conflict, by default none. It receives the base, the
  ///     new value and the stored one, and may run again if the stored value changes meanwhile.
  /// - Returns: The value that was stored: the new one, or the result of `merge`.
  /// - Throws: ``WriteConflict`` if the stored value has changed and there is no closure, the error of the closure, or an
  ///   error if the change could not be made. The stored value is then unchanged.
  @discardableResult
  public func write(
    _ value: Value, basedOn base: Value,
    merging merge: (@Sendable (_ base: Value, _ mine: Value, _ stored: Value) throws -> Value)? = nil
  ) async throws -> Value {
    try await update { stored in
      stored = try WriteConflict.resolve(value, base, stored, merge)
      return stored
    }
  }
}

extension BlockingSharedValue where Value: Equatable {
  /// Stores a value that was made from an earlier one while this thread waits, unless the stored value has changed.
  ///
  /// - Parameters:
  ///   - value: The new value.
  ///   - base: The value that the new one was made from, as it was read.
  ///   - merge: A closure that merges both changes if there is a conflict, on this thread; by default none. It receives
  ///     the base, the new value and the stored one. Keep it short, because other writers wait.
  /// - Returns: The value that was stored: the new one, or the result of `merge`.
  /// - Throws: ``WriteConflict`` if the stored value has changed and there is no closure, the error of the closure, or an
  ///   error if the change could not be made. The stored value is then unchanged.
  @discardableResult
  public func write(
    _ value: Value, basedOn base: Value,
    merging merge: ((_ base: Value, _ mine: Value, _ stored: Value) throws -> Value)? = nil
  ) throws -> Value {
    try update(overwriting: false) { stored in
      stored = try WriteConflict.resolve(value, base, stored, merge)
      return stored
    }
  }
}
