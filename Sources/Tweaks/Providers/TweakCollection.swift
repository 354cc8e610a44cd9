import Signals

/// Tweaks from an external source that are replaced all at once.
struct TweakCollection: Sendable {
  private let contents = MutableProperty<[TweakID: Tweak]>([:])
  private let emitter = Emitter<TweakUpdate, Never>()

  /// The name of the provider, for tweaks without a source.
  let source: String

  subscript(feature: String, variable: String) -> Tweak? {
    contents.value[TweakID(feature: feature, variable: variable)]
  }

  var ids: Set<TweakID> { Set(contents.value.keys) }

  var updates: AnySignal<TweakUpdate, Never> { emitter.eraseToAnySignal() }

  /// Replaces the tweaks.
  ///
  /// Of several with the same name, the last one counts.
  ///
  /// - Returns: The names of the changed tweaks, to be sent when no lock is held.
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
