public import Foundation
public import Signals

extension TweakManager {
  /// Returns a signal of a tweak's value: first the current one, then each change by any provider.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  ///   - type: The type of the value.
  /// - Returns: A signal of the value. It sends `nil` if there is no value, or if the value is not of the type, which
  ///   ``failures`` reports.
  public func signal<Value: TweakValueConvertible>(
    feature: String, variable: String, as type: Value.Type = Value.self
  ) -> some Signal<Value?, Never> {
    optionalProperty(TweakID(feature: feature, variable: variable), as: type)
  }

  /// Returns a signal of the value for a typed key: first the current one, then each change by any provider.
  ///
  /// - Parameter key: The key.
  /// - Returns: A signal of the value. It sends the key's default if there is no value, or if the value is not of the
  ///   type, which ``failures`` reports.
  public func signal<Value>(for key: TweakKey<Value>) -> some Signal<Value, Never> {
    property(for: key)
  }

  /// Returns an observable property of the value for a typed key.
  ///
  /// It keeps the manager alive.
  ///
  /// - Parameter key: The key.
  /// - Returns: The property.
  public func property<Value>(for key: TweakKey<Value>) -> Property<Value> {
    let defaultValue = key.defaultValue
    return typedProperty(key.id, isSame: { $0.tweakValue == $1.tweakValue }) { $0 ?? defaultValue }
  }

  /// The changes of effective values by any provider, in the order in which they happen.
  ///
  /// Subscribing looks up all tweaks that the providers list. A change of another tweak is sent only if the tweak was
  /// read before, or if a step of a provider's table touches it.
  public var changes: some Signal<TweakChange, Never> {
    TweakChanges(manager: self)
  }

  /// The errors of tweaks that are read with a default, once after each change, and the errors that providers report.
  ///
  /// The first subscriber also receives the errors that were sent before it subscribed, at most the last 100. Errors
  /// that a call throws are not repeated here.
  public var failures: AnySignal<TweakError, Never> { AnySignal(failureQueue) }

  // MARK: Properties

  func optionalProperty<Value: TweakValueConvertible>(_ id: TweakID, as type: Value.Type) -> Property<Value?> {
    typedProperty(id, isSame: { $0?.tweakValue == $1?.tweakValue }) { (value: Value?) in value }
  }

  /// Returns a property of the resolution converted to a type; values with the same stored form are equal.
  private func typedProperty<Value: TweakValueConvertible, Shown: Sendable>(
    _ id: TweakID, isSame: @escaping @Sendable (Shown, Shown) -> Bool,
    _ make: @escaping @Sendable (Value?) -> Shown
  ) -> Property<Shown> {
    let slot = tweakSlot(id)
    return .derived(resolutionProperty(.tweak(id)), isSame: isSame) { [self] in
      make(converted($0, of: slot, to: Value.self))
    }
  }

  func resolutionProperty(_ question: TweakQuestion) -> MutableProperty<TweakResolution> {
    checkDeclared(question)
    let current = resolution(of: question)
    return state.withLock { state in
      if let property = state.properties[question] { return property }
      let property = MutableProperty(state.index[question] ?? current)
      state.properties[question] = property
      return property
    }
  }
}

/// The changes of a manager.
private struct TweakChanges: Signal {
  typealias Element = TweakChange
  typealias Failure = Never

  let manager: TweakManager

  func subscribe(_ subscriber: some SignalSubscriber<TweakChange, Never>) -> SignalSubscription {
    manager.lookUpAll()
    return manager.changeEmitter.subscribe(subscriber).keepAlive(manager)
  }
}

/// A change of the effective value of a tweak.
///
/// If the tweak is secret, the printed form shows neither value.
public struct TweakChange: Sendable, Hashable {
  /// The tweak.
  public let id: TweakID

  /// The old value, or `nil` if there was no usable one.
  public let old: TweakValue?

  /// The new value, or `nil` if there is no usable one.
  public let new: TweakValue?

  /// The provider of the new value.
  public let source: String?

  /// A Boolean value that indicates whether the values must not be shown.
  public let isSecret: Bool
}

extension TweakChange: CustomStringConvertible, CustomReflectable {
  /// The name, and both values.
  public var description: String { "\(id): \(shown(old)) → \(shown(new))" + (source.map { " (\($0))" } ?? "") }

  /// The children that `dump` shows.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "id": id, "old": shown(old), "new": shown(new), "source": source as Any, "isSecret": isSecret,
      ],
      displayStyle: .struct
    )
  }

  private func shown(_ value: TweakValue?) -> String {
    value.map { isSecret ? Tweak.redacted : $0.description } ?? "none"
  }
}

extension TweakManager {
  /// The notification after a change of a tweak, with the name that JustTweak gives it.
  ///
  /// Its `object` is the manager, and its `userInfo` has a ``TweakChange`` for the key `change`.
  public static let didChangeNotification = Notification.Name("TweakProviderDidChangeNotification")

  /// Posts a notification after each change of a tweak, for code that observes notifications instead of ``changes``.
  ///
  /// ```swift
  /// import Foundation
  /// import Tweaks
  ///
  /// let manager = TweakManager(providers: [EphemeralTweakProvider()])
  /// let posting = manager.postNotifications()
  /// let name = TweakManager.didChangeNotification
  /// let observer = NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) { notification in
  ///   if let change = notification.userInfo?["change"] as? TweakChange { print(change) }
  /// }
  /// try manager.set(20, feature: "shop", variable: "limit")  // Prints "shop/limit: none → 20 (EphemeralTweakProvider)"
  /// NotificationCenter.default.removeObserver(observer)
  /// posting.cancel()
  /// ```
  ///
  /// They are posted in the order of ``changes``, on the threads that send these.
  ///
  /// - Parameter center: The notification center.
  /// - Returns: A token that ends the posting when it is cancelled or released. It keeps the manager alive.
  public func postNotifications(to center: NotificationCenter = .default) -> SignalSubscription {
    changes.sink { [self] change in
      center.post(name: Self.didChangeNotification, object: self, userInfo: ["change": change])
    }
  }
}
