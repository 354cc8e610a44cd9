import Signals

/// The faults that a provider has found since its input last changed; each is sent once.
struct TweakFaults: Sendable {
  private let found = MutableProperty<[TweakError]>([])
  private let emitter = Emitter<TweakError, Never>()

  /// The faults that are known, and each later one.
  var signal: AnySignal<TweakError, Never> {
    emitter.beginning { [found] in found.value }
  }

  func report(_ fault: TweakError) {
    let isNews = found.modify { found in
      if found.contains(fault) { return false }
      found.append(fault)
      return true
    }
    if isNews { emitter.send(fault) }
  }

  /// Forgets the faults of an input that is no longer there.
  func removeAll() {
    if !found.value.isEmpty { found.value = [] }
  }
}
