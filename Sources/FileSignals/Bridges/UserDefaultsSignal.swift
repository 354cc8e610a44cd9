public import Foundation
public import Signals

extension UserDefaults {
  /// Returns a signal of the value of a key: the current value at once, and then each change that can be detected.
  ///
  /// ```swift
  /// import FileSignals
  /// import Foundation
  /// import Signals
  ///
  /// let defaults = UserDefaults.standard
  /// defaults.set(7, forKey: "volume")
  /// let subscription = defaults.signal(forKey: "volume", as: Int.self).sink { print($0 ?? 0) }  // Prints "7"
  /// subscription.cancel()
  /// ```
  ///
  /// The changes that can be detected depend on the system:
  ///
  /// - **Apple:** Every change, including changes by other processes of the app group, is sent on the thread that makes
  ///   it. Nothing is polled, except a key that contains a dot or begins with `@`, which key-value observing would
  ///   treat as a path.
  /// - **Linux:** There are no notifications, so the value is polled every `interval` while there is a subscriber. A
  ///   change by another process is not visible until this process calls `synchronize()`. The signal does not call it,
  ///   because it also writes, and thereby loses keys that other processes write at the same time. Store values that
  ///   processes share in an `AppGroupsSuite`.
  ///
  /// - Parameters:
  ///   - key: The key of the value.
  ///   - type: The type of the value, which must be a property list type.
  ///   - interval: The polling interval. An interval that is not positive keeps a processor busy.
  ///   - clock: The clock that measures the interval.
  /// - Returns: A signal of the value, or of `nil` if there is no value of this type. It never ends.
  public func signal<Value: Equatable & Sendable, C: Clock>(
    forKey key: String, as type: Value.Type = Value.self, checkingEvery interval: Duration = .seconds(1),
    clock: C = ContinuousClock()
  ) -> some Signal<Value?, Never> where C.Duration == Duration {
    let value = UserDefaultsValue(defaults: self, key: key)
    return value.occasions(every: interval, clock: clock).map { _ in value.read(as: type) }.removeDuplicates()
  }
}

/// A key in a `UserDefaults` object.
struct UserDefaultsValue: @unchecked Sendable {  // Sound: `UserDefaults` is documented as thread-safe.
  let defaults: UserDefaults
  let key: String

  func read<Value>(as type: Value.Type) -> Value? {
    guard let object = defaults.object(forKey: key) else { return nil }
    // A number has the type with which it was set; another type may be able to hold it, too.
    return object as? Value ?? (object as? NSNumber) as? Value
  }

  /// Returns a signal that sends when the value should be read: at once, and then whenever it may have changed.
  func occasions<C: Clock>(every interval: Duration, clock: C) -> AnySignal<Void, Never> where C.Duration == Duration {
    #if canImport(Darwin)
      if !key.contains("."), !key.hasPrefix("@") { return KeyValueOccasions(value: self).eraseToAnySignal() }
    #endif
    return TimerSignal(every: interval, clock: clock).map { _ in }.prepend(()).eraseToAnySignal()
  }
}
