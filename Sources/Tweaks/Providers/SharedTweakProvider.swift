public import AppGroups
public import Signals

/// Tweaks that are made of a shared value, such as an ``/AppGroups/AppGroupsFile``, and follow it.
public final class SharedTweakProvider: TweakProvider {
  /// What the provider is called.
  public let name: String

  private let contents: MutableProperty<[TweakID: Tweak]>
  private let emitter = Emitter<TweakUpdate, Never>()
  private let failureEmitter = Emitter<TweakError, Never>()
  private let subscriptions: [SignalSubscription]

  /// Makes a provider of a shared value.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - name: What the provider is called.
  ///   - tweaks: Makes tweaks of the value; the last of those that have the same name counts.
  public init<Value: SharedValue>(
    _ value: Value, name: String = "SharedTweakProvider", tweaks: @escaping @Sendable (Value.Value) -> [Tweak]
  ) {
    self.name = name
    let contents = MutableProperty<[TweakID: Tweak]>([:])
    self.contents = contents
    let subscription = value.sink { [emitter] value in
      var found: [TweakID: Tweak] = [:]
      for var tweak in tweaks(value) {
        tweak.source = tweak.source ?? name
        found[tweak.id] = tweak
      }
      Self.take(found, in: contents, emitter)
    }
    let failures = value.failures.sink { [failureEmitter] in
      failureEmitter.send(.unusableStore(provider: name, $0))
    }
    subscriptions = [subscription, failures]
  }

  static func take(
    _ new: [TweakID: Tweak], in contents: MutableProperty<[TweakID: Tweak]>, _ emitter: Emitter<TweakUpdate, Never>
  ) {
    let old = contents.modify { contents in
      defer { contents = new }
      return contents
    }
    var changed: Set<TweakID> = []
    for id in Set(new.keys).union(old.keys) where new[id] != old[id] { changed.insert(id) }
    if !changed.isEmpty { emitter.send(.tweaks(changed)) }
  }

  /// The tweak of a name.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  /// - Returns: The tweak, or `nil` if there is none.
  public func tweak(feature: String, variable: String) -> Tweak? {
    contents.value[TweakID(feature: feature, variable: variable)]
  }

  /// The names of the tweaks that there are.
  public var tweakIDs: Set<TweakID> { Set(contents.value.keys) }

  /// What has changed, each time something has.
  public var updates: AnySignal<TweakUpdate, Never> { emitter.eraseToAnySignal() }

  /// What keeps the value from following what is stored, each time something does.
  public var failures: AnySignal<TweakError, Never> { failureEmitter.eraseToAnySignal() }
}
