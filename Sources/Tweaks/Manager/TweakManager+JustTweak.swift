public import Dispatch
public import Signals

/// The members with which code that was written for JustTweak goes on, as bridges over the others.
extension TweakManager {
  /// A closure that decrypts encrypted values from providers without their own closure.
  ///
  /// It is called when a value is looked up, not at each read.
  public var decryptionClosure: TweakCipher? {
    get { state.withLock { $0.decryption } }
    set {
      state.replace { exchange(&$0.decryption, with: newValue) }
      follow(.everything)
    }
  }

  /// A closure that encrypts set values of tweaks that any provider below marks as encrypted or secret.
  ///
  /// Without it, such a value cannot be set in a persistent provider. Mark a secret in a provider that always has the
  /// tweak, such as a file. Without the mark, a plain stored value cannot be distinguished from an encrypted one.
  public var encryptionClosure: TweakCipher? {
    get { state.withLock { $0.encryption } }
    set { state.replace { exchange(&$0.encryption, with: newValue) } }
  }

  /// A Boolean value that indicates whether every read uses cached results; `false` by default.
  ///
  /// The cache follows the updates of the providers. Set it unless a provider changes values without sending an update.
  /// Changing it clears the cache.
  ///
  /// Without the cache, ``requiredTweak(feature:variable:)`` and ``isFeatureEnabled(_:)`` ask the providers each time.
  /// A read with a type, such as ``subscript(_:)``, asks them each time only if its value depends on a provider that
  /// cannot announce its changes, which is an ``AskedTweakProvider`` without ``AskedTweakProvider/updates``.
  public var usesCache: Bool {
    get { state.withLock { $0.isCaching } }
    set {
      let isChange = state.withLock { state in
        defer { state.isCaching = newValue }
        return state.isCaching != newValue
      }
      if isChange { resetCache() }
    }
  }

  /// Clears the cache, and asks the providers again for all tweaks that are observed or have been read.
  ///
  /// Call it after a change in a provider that sends no updates.
  public func resetCache() {
    follow(.everything)
  }

  /// Returns a tweak by name, which some provider must have.
  ///
  /// The providers are asked each time, unless ``usesCache`` is set.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  /// - Returns: The decrypted tweak, with its title, description and group, and the name of its provider.
  /// - Throws: ``TweakError/notFound(_:)`` if no provider has the tweak, or the error of the deciding provider.
  public func requiredTweak(feature: String, variable: String) throws(TweakError) -> Tweak {
    let id = TweakID(feature: feature, variable: variable)
    checkDeclared(.tweak(id))
    return try tweakResolution(id).result.get()
  }

  /// Returns whether a feature is enabled.
  ///
  /// - **Priority.** The first provider with an answer decides, even if the answer is `false`.
  /// - **Unknown features** are not enabled. A manager that was created with `reportsMissing` reports them, and one that
  ///   was created with `declarations` stops a debug build.
  /// - **Errors.** If the deciding answer cannot be used, the feature is not enabled, and ``failures`` sends the error
  ///   of its variable ``Tweak/enabledVariable``.
  ///
  /// - Parameter feature: The feature.
  /// - Returns: Whether it is enabled.
  public func isFeatureEnabled(_ feature: String) -> Bool {
    checkDeclared(.feature(feature))
    return isEnabled(featureResolution(feature), feature)
  }

  /// Returns whether a feature is enabled, or `nil` if no provider has an answer.
  ///
  /// - Parameter feature: The feature.
  /// - Returns: The answer of the first provider that has one.
  /// - Throws: ``TweakError`` if the deciding answer cannot be used.
  package func featureState(_ feature: String) throws(TweakError) -> Bool? {
    do throws(TweakError) {
      return try featureResolution(feature).result.get().boolValue
    } catch {
      if case .notFound = error { return nil }
      throw error
    }
  }

  /// Returns a property that indicates whether a feature is enabled.
  ///
  /// It keeps the manager alive. An unusable answer is reported as by ``isFeatureEnabled(_:)``.
  ///
  /// - Parameter feature: The feature.
  /// - Returns: The property.
  public func property(forFeature feature: String) -> Property<Bool> {
    .derived(resolutionProperty(.feature(feature))) { [self] in isEnabled($0, feature) }
  }

  /// Enables or disables a feature in the first mutable provider.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - isEnabled: A Boolean value that indicates whether the feature is enabled; `nil` leaves the decision to the
  ///     next provider.
  /// - Returns: The name of the earlier provider whose value hides the new one, or `nil` if the value is effective.
  /// - Throws: ``TweakError``; then nothing has changed.
  @discardableResult
  public func setFeature(_ feature: String, isEnabled: Bool?) throws(TweakError) -> String? {
    if let isEnabled { return try set(.bool(isEnabled), feature: feature, variable: Tweak.enabledVariable) }
    try deleteValue(feature: feature, variable: Tweak.enabledVariable)
    return nil
  }

  /// Calls a closure after each change of a tweak, until the observer is released or removed.
  ///
  /// Capture the observer weakly in the closure, because the manager keeps the closure.
  ///
  /// - Parameters:
  ///   - observer: The object to which the closure belongs. It is not kept alive, and has at most one closure.
  ///   - queue: The queue that calls the closure.
  ///   - closure: A closure that receives the change.
  public func addObserver(
    _ observer: some AnyObject & Sendable, on queue: DispatchQueue = .main,
    closure: @escaping @Sendable (TweakChange) -> Void
  ) {
    let identity = ObjectIdentifier(observer)
    lookUpAll()
    let subscription = changeEmitter.sink { [weak self, weak observer] change in
      guard observer != nil else {
        self?.forget(identity)
        return
      }
      queue.async { [weak self, weak observer] in
        if observer != nil, self?.hasObserver(identity) ?? false { closure(change) }
      }
    }
    let old = state.withLock { $0.observers.updateValue(subscription, forKey: identity) }
    old?.cancel()
  }

  /// Removes the closure of an observer.
  ///
  /// - Parameter observer: The object to which the closure belongs.
  public func removeObserver(_ observer: some AnyObject) {
    forget(ObjectIdentifier(observer))
  }

  private func forget(_ identity: ObjectIdentifier) {
    state.withLock { $0.observers.removeValue(forKey: identity) }?.cancel()
  }

  private func hasObserver(_ identity: ObjectIdentifier) -> Bool {
    state.withLock { $0.observers[identity] != nil }
  }

  /// A closure that receives each step of a lookup, and each failure.
  ///
  /// It is not called for ``trace(feature:variable:as:)``, nor for lookups by a hook or the log. For features, it
  /// receives failures only. The messages do not show values of secret tweaks.
  public var logClosure: (@Sendable (String, TweakLogLevel) -> Void)? {
    get { state.withLock { $0.log } }
    set { state.replace { exchange(&$0.log, with: newValue) } }
  }
}
