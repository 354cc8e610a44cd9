import Dispatch
import FileSignals
import Foundation
import Signals

/// A recorder of the first use of each value.
///
/// A read appends to a bounded buffer, and a queue sends from it, so that no reader waits for a subscriber.
final class ExposureRecorder: Sendable {
  private struct Key: Hashable {
    let id: TweakID
    let subject: String?
    let content: String
  }

  private struct State {
    var seen: [Key: Duration] = [:]
    var buffer: [TweakExposure] = []
    var sequence = 0
    var isScheduled = false
  }

  let policy: TweakExposurePolicy
  private let emitter: Emitter<TweakExposure, Never>
  private let queue = DispatchQueue(label: "org.signals.exposures", qos: .utility)
  private let state = Guarded(State())

  /// The maximum number of values that are remembered.
  private static let seenLimit = 1_000

  init(_ policy: TweakExposurePolicy, emitter: Emitter<TweakExposure, Never>) {
    self.policy = policy
    self.emitter = emitter
  }

  /// Allows all values to be exposed again, because the user has changed.
  func reset() {
    state.replace { exchange(&$0.seen, with: [:]) }
  }

  /// Records the use of a tweak's value, unless it was recorded before.
  func record(_ tweak: Tweak, reason: TweakReason, version: Int) {
    let subject = policy.subject.value
    guard isSampled(tweak.id, subject) else { return }
    // A value without a variant is recognized by its digest, because it may be secret.
    let content = tweak.variant ?? digest(tweak.value.description)
    let key = Key(id: tweak.id, subject: subject, content: content)
    let now = policy.time.wall.elapsed
    let date = policy.time.now
    let name = subject.map { digest($0) }
    let mustSchedule = state.withLock { state in
      if let last = state.seen[key], now - last < policy.deduplication { return false }
      if state.seen.count >= Self.seenLimit, let oldest = state.seen.min(by: { $0.value < $1.value }) {
        state.seen[oldest.key] = nil
      }
      state.seen[key] = now
      state.sequence += 1
      // The missing number tells of the drop.
      guard state.buffer.count < policy.capacity else { return false }
      state.buffer.append(
        TweakExposure(
          id: tweak.id, variant: tweak.variant, reason: reason, provider: tweak.source, rule: tweak.rule,
          version: version, subject: name, sampling: policy.sampling, date: date, sequence: state.sequence))
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { queue.async { [self] in send() } }
  }

  private func isSampled(_ id: TweakID, _ subject: String?) -> Bool {
    if policy.sampling >= 1 { return true }
    guard let subject else { return Double.random(in: 0..<1) < policy.sampling }
    let bucket = TweakRule.bucket("exposure:\(id)", targetingKey: subject)
    return Double(bucket) < policy.sampling * 10_000
  }

  private func digest(_ text: String) -> String {
    SHA256.authenticationCode(of: Array(text.utf8), key: Array(policy.salt.utf8)).hexadecimal
  }

  private func send() {
    let exposures = state.withLock { state in
      defer { (state.buffer, state.isScheduled) = ([], false) }
      return state.buffer
    }
    for exposure in exposures { emitter.send(exposure) }
  }
}
