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
