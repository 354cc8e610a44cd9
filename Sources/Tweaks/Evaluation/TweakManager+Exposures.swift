public import Signals
import Synchronization

extension TweakManager {
  /// Sends an exposure when code first reads a value, or stops sending them with `nil`, which is the default.
  ///
  /// - **Reads** with a type count: by key, by name and by a property wrapper. Snapshots, traces, panels, signals and
  ///   ``details(for:)`` do not. A read that returns its default is no exposure.
  /// - **Repetition.** A value is exposed once, until it changes or another user is identified.
  /// - **Cost.** While exposures are off, reads cost the same as without them. While they are on, only the first read
  ///   of a value costs more.
  ///
  /// - Parameter policy: The policy, or `nil` for no exposures.
  public func recordExposures(_ policy: TweakExposurePolicy?) {
    let recorder = policy.map { ExposureRecorder($0, emitter: exposureEmitter) }
    let following = policy.map { policy in
      policy.subject.changes.sink { [weak self] _ in self?.exposeAgain() }
    }
    let old = state.withLock { state in
      state.recorder = recorder
      let isNoticing = noticesReads(state)
      exposesReads.store(isNoticing, ordering: .relaxed)
      for slot in tweakSlots.all { slot.conceal(isNoticing) }
      return exchange(&state.recording, with: following)
    }
    old?.cancel()
  }

  /// The exposures, in the order of the reads, if ``recordExposures(_:)`` has switched them on.
  ///
  /// They are sent on a queue of the manager. Each subscriber receives those from its subscription on.
  public var exposures: AnySignal<TweakExposure, Never> { exposureEmitter.eraseToAnySignal() }

  /// Returns whether the first read of a value is noticed, to be exposed or checked.
  func noticesReads(_ state: State) -> Bool { state.recorder != nil || declarations != nil }

  private func exposeAgain() {
    let recorder = state.withLock { $0.recorder }
    recorder?.reset()
    state.withLock { state in
      if state.recorder != nil { for slot in tweakSlots.all { slot.conceal(true) } }
    }
  }

  /// Records the first read of a value, and lets the next ones be fast.
  func expose(_ resolution: TweakResolution, of slot: TweakSlot) {
    guard exposesReads.load(ordering: .relaxed) else { return }
    guard let tweak = resolution.isUnannounced ? resolution.tweak : slot.reveal() else { return }
    let (recorder, version) = state.withLock { ($0.recorder, $0.index.version) }
    recorder?.record(tweak, reason: reason(of: tweak), version: version)
  }
}
