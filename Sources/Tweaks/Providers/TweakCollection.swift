import Signals

/// Tweaks that are replaced all at once, by those that a provider has got from elsewhere.
struct TweakCollection: Sendable {
  private let contents = MutableProperty<[TweakID: Tweak]>([:])
  private let emitter = Emitter<TweakUpdate, Never>()

  /// The name of the provider, for tweaks that do not say whose they are.
  let source: String

  subscript(feature: String, variable: String) -> Tweak? {
    contents.value[TweakID(feature: feature, variable: variable)]
  }

  var ids: Set<TweakID> { Set(contents.value.keys) }

  var updates: AnySignal<TweakUpdate, Never> { emitter.eraseToAnySignal() }

  /// Replaces the tweaks; the last of those that have the same name counts.
  ///
  /// - Returns: The names of those that are others now, to be told when no lock is held.
  func replace(by tweaks: [Tweak]) -> Set<TweakID> {
    var new: [TweakID: Tweak] = [:]
    for var tweak in tweaks {
      tweak.source = tweak.source ?? source
      new[tweak.id] = tweak
    }
    let old = contents.modify { contents in
      defer { contents = new }
      return contents
    }
    return Set(new.keys).union(old.keys).filter { new[$0] != old[$0] }
  }

  func tell(_ changed: Set<TweakID>) {
    if !changed.isEmpty { emitter.send(.tweaks(changed)) }
  }
}
