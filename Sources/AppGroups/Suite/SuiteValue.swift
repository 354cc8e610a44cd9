import FileSignals
public import Signals

/// One typed value of a suite, as an object of its own: to be read, observed, written and updated like a shared file.
///
/// An app declares what its processes share as a class of such values, all in one file and over one watch:
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
///   init(container: AppGroupsContainer) throws {
///     let suite = try AppGroupsSuite(name: "preferences.json", container: container)
///     theme = suite.preference("theme", default: "light")
///     fontSize = suite.preference("fontSize", default: 12)
///   }
/// }
///
/// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// let preferences = try Preferences(container: AppGroupsContainer(directory: directory))
/// let subscription = preferences.theme.sink { print($0) }  // Prints "light"
/// try preferences.fontSize.update { $0 *= 2 }
/// try preferences.theme.write("dark")  // Prints "dark"
/// print(preferences.fontSize.value)  // Prints "24.0"
/// subscription.cancel()
/// try FileManager.default.removeItem(at: directory)
/// ```
///
/// While no value is stored, the value is the one that is registered with the suite, or else the key's default. Should
/// the stored one be none of the type, the last good value stands, and ``status`` and ``failures`` tell.
///
/// Several values change as one in ``AppGroupsSuite/update(overwriting:_:)-70u51``, by their ``key``; whatever is
/// derived from their ``property`` is then computed once, and never from old and new values mixed.
///
/// Everything may be called from any thread, also from inside a subscriber.
public final class SuiteValue<Value: Codable & Sendable>: SharedValue {
  /// What the signal sends: the value.
  public typealias Element = Value

  /// A value of a suite does not end; what is wrong with it is told by ``status`` and ``failures``.
  public typealias Failure = Never

  /// The suite that the value belongs to.
  public let suite: AppGroupsSuite

  /// The value's name, type and default.
  public let key: SuiteKey<Value>

  /// The value as an observable property; it changes when this value does, and not with others of the suite.
  public let property: Property<Value>

  /// How the value stands to what is stored: ``/Signals/SharedValueStatus/missing`` means that it is the default.
  public let status: Property<SharedValueStatus<AppGroupsFileError>>

  /// Has failures reported.
  private let reporting: SignalSubscription

  init(_ key: SuiteKey<Value>, in suite: AppGroupsSuite) {
    self.suite = suite
    self.key = key
    let follower = SuiteFollower(key: key, url: suite.url)
    let state = Property.derived(suite.property, suite.defaults) { follower.state(in: $0, defaults: $1) }
    // Two steps, so that a value that stands is no change, though the state is another.
    let lastGood = Property.derived(state) { $0.lastGood }
    property = Property.derived(lastGood) { $0.value }.announcingItself()
    status = Property.derived(suite.status, state) { $0 == .current ? $1.status : $0 }
    reporting = state.sink { [weak suite] state in
      guard let problem = state.problem else { return }
      suite?.report(problem.error, of: problem.entry, as: Value.self)
    }
  }

  /// The value: the last known good one, or the default if there is none.
  ///
  /// Reading it takes a few nanoseconds and waits for no file and no process.
  public var value: Value { property.value }

  /// What keeps the value from following what is stored, each time something does.
  ///
  /// Errors that a call throws are not repeated here.
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

  /// Attaches a subscriber, and returns the token that keeps it attached.
  ///
  /// - Parameter subscriber: Receives the current value before this returns, then every later one.
  /// - Returns: A token that cancels the subscription when it is released. It keeps the file watched.
  public func subscribe<Subscriber: SignalSubscriber<Value, Never>>(_ subscriber: Subscriber) -> SignalSubscription {
    property.subscribe(subscriber)
  }

  /// What is stored at this moment.
  ///
  /// - Returns: The value that the file holds, which ``value`` may not have caught up with, or the default if it holds
  ///   none.
  /// - Throws: ``AppGroupsFileError`` if the file, or the value in it, cannot be used.
  public func read() throws(AppGroupsFileError) -> Value {
    try stored(in: suite.read(), orLastGood: false)
  }

  /// The value that contents hold; the last good one instead of an error, if that is wanted.
  func stored(in contents: SuiteContents, orLastGood: Bool) throws(AppGroupsFileError) -> Value {
    let name = ExactString(key.name)
    guard let entry = contents[name] ?? suite.defaults.value[name] else { return key.defaultValue }
    do throws(AppGroupsFileError) {
      return try entry.item(as: Value.self, key: key.name, url: suite.url) ?? key.defaultValue
    } catch {
      guard orLastGood else { throw error }
      return value
    }
  }
}

extension AppGroupsSuite {
  /// One typed value of the suite, as an object of its own.
  ///
  /// - Parameters:
  ///   - name: What the value is called in the file; any string will do.
  ///   - defaultValue: The value until somebody sets it. It is never written.
  /// - Returns: The value, which keeps the suite open.
  public func preference<Value: Codable & Sendable>(
    _ name: String, default defaultValue: Value
  ) -> SuiteValue<Value> {
    preference(for: SuiteKey(name, default: defaultValue))
  }

  /// The value of a typed key, as an object of its own.
  ///
  /// - Parameter key: The key.
  /// - Returns: The value, which keeps the suite open.
  public func preference<Value>(for key: SuiteKey<Value>) -> SuiteValue<Value> {
    SuiteValue(key, in: self)
  }
}
