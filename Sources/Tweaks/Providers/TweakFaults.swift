import Signals

/// The faults that a provider has found since the last change of its input.
///
/// Each is sent once.
struct TweakFaults: Sendable {
  private let found = MutableProperty<[TweakError]>([])
  private let relay: FailureRelay<TweakError>

  /// Creates an empty list of faults.
  ///
  /// - Parameters:
  ///   - type: The type of the provider.
  ///   - name: The name of the provider.
  init(of type: String, _ name: String) {
    relay = FailureRelay(of: type, name, isKept: true)
  }

  /// The known faults, followed by each later one.
  var signal: AnySignal<TweakError, Never> {
    relay.beginning { [found] in found.value }
  }

  func report(_ fault: TweakError) {
    let isNews = found.modify { found in
      if found.contains(fault) { return false }
      found.append(fault)
      return true
    }
    if isNews { relay.send(fault) }
  }

  /// Forgets the faults of an earlier input.
  func removeAll() {
    if !found.value.isEmpty { found.value = [] }
  }
}
