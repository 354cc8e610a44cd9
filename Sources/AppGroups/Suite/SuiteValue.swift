import FileSignals
public import Signals

/// One typed value of a suite, as an object of its own that is read, observed, written and updated like a shared file.
///
/// An app declares its shared values as properties of a class. All of them are in one file, which is observed once:
///
/// ```swift
/// import AppGroups
/// import Foundation
/// import Signals
///
/// final class Preferences: Sendable {
///   let theme: SuiteValue<String>
///   let fontSize: SuiteValue<Double>
///
///   init(suite: AppGroupsSuite) {
///     theme = suite.preference("theme", default: "light")
///     fontSize = suite.preference("fontSize", default: 12)
///   }
/// }
///
/// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// let suite = try AppGroupsSuite(name: "preferences.json", container: AppGroupsContainer(directory: directory))
/// let preferences = Preferences(suite: suite)
/// let subscription = preferences.theme.sink { print($0) }  // Prints "light"
/// try preferences.fontSize.update { $0 *= 2 }
/// try preferences.theme.write("dark")  // Prints "dark"
/// print(preferences.fontSize.value)  // Prints "24.0"
/// subscription.cancel()
/// try suite.synchronize()
/// try FileManager.default.removeItem(at: directory)
/// ```
///
/// While no value is stored, the value is the registered one, or else the key's default. If the stored value is of
/// another type, the last good value stays, and ``status`` and ``failures`` report the error.
///
/// To change several values in one step, use ``AppGroupsSuite/update(overwriting:_:)-70u51`` with their ``key``. A
/// value that is derived from their ``property`` is then computed once, and never from old and new values mixed.
///
/// All methods may be called from any thread, and from inside a subscriber.
public final class SuiteValue<Value: Codable & Sendable>: BlockingSharedValue {
  /// The suite that the value belongs to.
  public let suite: AppGroupsSuite

  /// The value's name, type and default.
  public let key: SuiteKey<Value>

  /// The value as an observable property, which changes only with this value of the suite.
  public let property: Property<Value>

  /// The relation of the value to the stored one.
  ///
  /// ``/Signals/SharedValueStatus/missing`` means that it is the default.
  public let status: Property<SharedValueStatus<AppGroupsFileError>>

  /// The subscription that reports failures.
  private let reporting: SignalSubscription

  init(_ key: SuiteKey<Value>, in suite: AppGroupsSuite) {
    self.suite = suite
    self.key = key
    let follower = SuiteFollower(key, url: suite.url)
    let state = Property.derived(suite.property, suite.defaults) { follower.state(in: $0, defaults: $1) }
      .depending(onPart: SuiteContents.part(of: ExactString(key.name)))
    // Two steps, so that a change of the state without a change of the value is not sent as one.
    let lastGood = Property.derived(state) { $0.lastGood }
    property = Self.value(of: lastGood).announcingItself()
    status = Property.derived(suite.status, state) { $0 == .current ? $1.status : $0 }
    reporting = state.sink { [weak suite] state in
      guard let problem = state.problem else { return }
      suite?.report(problem.error, of: problem.entry, as: Value.self)
    }
  }

  /// Returns the value as a property, whose computation is compiled for the types that most keys have.
  ///
  /// Each computation for another type looks up the types that belong to it.
  private static func value(of lastGood: Property<SuiteFollower.LastGood>) -> Property<Value> {
    @inline(__always)
    func value<Item: Sendable>(as type: Item.Type) -> Property<Value>? {
      Property<Item>.derived(lastGood) { $0.item(as: type) } as? Property<Value>
    }
    if Value.self == Int.self, let property = value(as: Int.self) { return property }
    if Value.self == Bool.self, let property = value(as: Bool.self) { return property }
    if Value.self == String.self, let property = value(as: String.self) { return property }
    if Value.self == Double.self, let property = value(as: Double.self) { return property }
    return Property.derived(lastGood) { $0.item(as: Value.self) }
  }

  /// The last known good value, or the default if there is none.
  ///
  /// A read takes a few nanoseconds, and waits for no file and no process.
  public var value: Value { property.value }

  /// The errors that keep the value from following the stored one.
  ///
  /// Errors that a call throws are not sent here.
  public var failures: some Signal<AppGroupsFileError, Never> {
    let name = ExactString(key.name)
    return KeptSignal(
      upstream: suite.failures.filter { error in
        guard case .undecodableValue(_, let key, _, _) = error else { return true }
        return ExactString(key) == name
      },
      owner: self
    )
  }

  /// Reads the file, as ``AppGroupsSuite/read()`` does.
  ///
  /// - Returns: The value in the file, which may be newer than ``value``, or the default if there is none.
  /// - Throws: ``AppGroupsFileError`` if the file or its value is unusable.
  public func read() throws(AppGroupsFileError) -> Value {
    try stored(in: suite.read(), orLastGood: false)
  }

  /// Returns the value in the contents, or, if requested, the last good value instead of an error.
  func stored(in contents: SuiteContents, orLastGood: Bool) throws(AppGroupsFileError) -> Value {
    let name = ExactString(key.name)
    guard let entry = contents[name] ?? suite.defaults.value[name] else { return key.defaultValue }
    do throws(AppGroupsFileError) {
      return try entry.item(as: Value.self, key: key.name, url: suite.url, isSealed: suite.format.isSealed)
        ?? key.defaultValue
    } catch {
      guard orLastGood else { throw error }
      return value
    }
  }
}

extension AppGroupsSuite {
  /// Returns a typed value of the suite, as an object of its own.
  ///
  /// - Parameters:
  ///   - name: The name of the value in the file; any string is allowed.
  ///   - defaultValue: The value until one is set. It is never written.
  /// - Returns: The value, which keeps the suite open.
  public func preference<Value: Codable & Sendable>(
    _ name: String, default defaultValue: Value
  ) -> SuiteValue<Value> {
    preference(SuiteKey(name, default: defaultValue))
  }

  /// Returns the value of a typed key, as an object of its own.
  ///
  /// - Parameter key: The key.
  /// - Returns: The value, which keeps the suite open.
  public func preference<Value>(_ key: SuiteKey<Value>) -> SuiteValue<Value> {
    SuiteValue(key, in: self)
  }
}

/// The name of a value in a suite, with its type and default.
///
/// Declare each key once, so that its name and type are right everywhere:
///
/// ```swift
/// import AppGroups
/// import Foundation
///
/// extension SuiteKey where Value == Double {
///   static var fontSize: SuiteKey { SuiteKey("fontSize", default: 12) }
/// }
///
/// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// let suite = try AppGroupsSuite(name: "settings.json", container: AppGroupsContainer(directory: directory))
/// let fontSize = suite.preference(.fontSize)
/// print(fontSize.value)  // Prints "12.0"
/// try fontSize.write(14)
/// print(fontSize.value)  // Prints "14.0"
/// try FileManager.default.removeItem(at: directory)
/// ```
public struct SuiteKey<Value: Codable & Sendable>: Sendable {
  /// The name of the value in the file; any string is allowed.
  public let name: String

  /// The value until one is set.
  public let defaultValue: Value

  /// Creates a key.
  ///
  /// - Parameters:
  ///   - name: The name of the value in the file; any string is allowed. Names are compared byte by byte.
  ///   - defaultValue: The value until one is set. It is never written. Use one default for each name.
  public init(_ name: String, default defaultValue: Value) {
    self.name = name
    self.defaultValue = defaultValue
  }
}

extension SuiteValue {
  /// Sets the value; the last of several writers wins.
  ///
  /// When this returns, ``value`` is the new value, and other processes can read it. Other values of the suite are
  /// kept.
  ///
  /// - Parameter value: The new value.
  /// - Throws: ``AppGroupsFileError``; then nothing has changed.
  public func write(_ value: Value) throws(AppGroupsFileError) {
    try suite.set(value, forKey: key.name)
  }

  /// Sets the value without blocking the threads that tasks run on; the last of several writers wins.
  ///
  /// - Parameter value: The new value.
  /// - Throws: ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the write began. Then
  ///   nothing has changed.
  public func write(_ value: Value) async throws {
    try await suite.set(value, forKey: key.name)
  }

  /// Changes the value exclusively: no concurrent change by another thread or process is lost.
  ///
  /// - Parameters:
  ///   - overwriting: Pass `true` to replace a stored value of another type; `body` then receives ``value``. By default
  ///     the stored value is kept, because a newer version of the program may own it. A file that cannot be decoded as
  ///     a whole is never replaced, because it may contain values of other keys.
  ///   - body: Changes its argument, on this thread, and must not change the suite in any other way. Keep it short,
  ///     because other writers wait.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, or ``AppGroupsFileError``; then nothing has changed.
  @discardableResult
  public func update<Result>(
    overwriting: Bool = false, _ body: (inout Value) throws -> Result
  ) throws -> Result {
    var result: Result?
    try suite.change(ExactString(key.name)) { contents in
      var value = try stored(in: contents, orLastGood: overwriting)
      result = try body(&value)
      return try SuiteEntry.encoding(value, key: key.name, url: suite.url)
    }.get()
    guard let result else { stop(because: "an update ended without calling its closure") }
    return result
  }

  /// Changes the value exclusively, without blocking the threads that tasks run on.
  ///
  /// - Parameters:
  ///   - overwriting: Pass `true` to replace a stored value of another type; `body` then receives ``value``.
  ///   - body: Changes its argument, on the file's own queue. It cannot suspend. Keep it short, because other writers
  ///     wait.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the
  ///   update began. Then nothing has changed.
  @discardableResult
  public func update<Result: Sendable>(
    overwriting: Bool = false, _ body: @escaping @Sendable (inout Value) throws -> Result
  ) async throws -> Result {
    try await BlockingCalls.run(for: suite.url) { try self.update(overwriting: overwriting, body) }
  }

  /// Removes the stored value, so that the value is the default again.
  ///
  /// - Throws: ``AppGroupsFileError``; then nothing has changed.
  public func reset() throws(AppGroupsFileError) {
    try suite.removeValue(forKey: key.name)
  }

  /// Removes the stored value, so that the value is the default again, without blocking the threads that tasks run on.
  ///
  /// - Throws: ``AppGroupsFileError``, or `CancellationError` if the task was cancelled before the change began. Then
  ///   nothing has changed.
  public func reset() async throws {
    try await suite.removeValue(forKey: key.name)
  }
}
