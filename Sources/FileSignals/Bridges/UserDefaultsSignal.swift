public import Foundation
public import Signals

extension UserDefaults {
  /// The value of a key, as a signal: the current one at once, then each change that can be seen.
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
  /// What can be seen depends on the system:
  /// - **Apple**: every change, also by other processes of the app group, on the thread that makes it; there is no need
  ///   to look from time to time. Only a key that observation takes for a path, because it has a dot or begins with
  ///   `@`, is looked at.
  /// - **Linux**: nothing is told, so the value is looked at every `interval`, as long as somebody listens. What
  ///   another process has changed is not there until this one calls `synchronize()`, which the signal does not do,
  ///   because it also writes, and thereby loses keys that others write at the same time. Values that processes share
  ///   belong in an `AppGroupsSuite`.
  ///
  /// - Parameters:
  ///   - key: The value's name.
  ///   - type: What the value is: one of the types of property lists.
  ///   - interval: The time between two looks.
  /// - Returns: A signal of the value, or of `nil` if there is none, or none of the type. It never ends.
  public func signal<Value: Equatable & Sendable>(
    forKey key: String, as type: Value.Type = Value.self, checkingEvery interval: Duration = .seconds(1)
  ) -> some Signal<Value?, Never> {
    signal(forKey: key, as: type, checkingEvery: interval, clock: ContinuousClock())
  }

  /// The value of a key, as a signal: the current one at once, then each change that can be seen, by a clock of your
  /// choice.
  ///
  /// - Parameters:
  ///   - key: The value's name.
  ///   - type: What the value is: one of the types of property lists.
  ///   - interval: The time between two looks.
  ///   - clock: What measures it.
  /// - Returns: A signal of the value, or of `nil` if there is none, or none of the type. It never ends.
  public func signal<Value: Equatable & Sendable, C: Clock>(
    forKey key: String, as type: Value.Type = Value.self, checkingEvery interval: Duration, clock: C
  ) -> some Signal<Value?, Never> where C.Duration == Duration {
    let value = UserDefaultsValue(defaults: self, key: key)
    return value.occasions(every: interval, clock: clock).map { _ in value.read(as: type) }.removeDuplicates()
  }
}

/// Where a value of `UserDefaults` is found.
struct UserDefaultsValue: @unchecked Sendable {  // Sound: defaults may be used from any thread, as they document.
  let defaults: UserDefaults
  let key: String

  func read<Value>(as type: Value.Type) -> Value? {
    guard let object = defaults.object(forKey: key) else { return nil }
    // A number comes as whatever type it was set as; another one may be able to hold it, too.
    return object as? Value ?? (object as? NSNumber) as? Value
  }

  /// When to look: at once, and then whenever the value may have changed.
  func occasions<C: Clock>(every interval: Duration, clock: C) -> AnySignal<Void, Never> where C.Duration == Duration {
    #if canImport(Darwin)
      if !key.contains("."), !key.hasPrefix("@") { return KeyValueOccasions(value: self).eraseToAnySignal() }
    #endif
    return TimerSignal(every: interval, clock: clock).map { _ in }.prepend(()).eraseToAnySignal()
  }
}
