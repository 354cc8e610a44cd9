import Dispatch
import FileSignals
public import Foundation
public import Signals
import Synchronization

/// The first use of a tweak's value by a user, for the analysis of an experiment.
///
/// It contains neither the value nor an attribute of the user.
public struct TweakExposure: Sendable, Hashable {
  /// The tweak.
  public let id: TweakID

  /// The name of the value among the variants of an experiment, if the provider gives one.
  public let variant: String?

  /// The reason for the value.
  public let reason: TweakReason

  /// The name of the provider.
  public let provider: String?

  /// The rule of the provider that determined the value.
  public let rule: String?

  /// The version of the manager, which is ``TweakSnapshot/version``.
  public let version: Int

  /// A digest of the user's identity, made with the policy's salt.
  public let subject: String?

  /// The share of exposures that are sent, by which counts are to be divided.
  public let sampling: Double

  /// The date of the read.
  public let date: Date

  /// The number of the exposure, from 1.
  ///
  /// Missing numbers are exposures that were dropped because the buffer was full.
  public let sequence: Int
}

/// A policy for the exposures of a ``TweakManager``.
public struct TweakExposurePolicy: Sendable {
  let sampling: Double
  let subject: Property<String?>
  let salt: String
  let deduplication: Duration
  let capacity: Int
  let time: TweakTime

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - sampling: The share of users, from 0 to 1, whose exposures are sent. For a user it is always the same exposures
  ///     that are sent.
  ///   - subject: The identity of the user. After it has changed, tweaks are exposed again.
  ///   - salt: The key with which the digest of the user is made.
  ///   - deduplication: The time in which a value that returns is not exposed again.
  ///   - capacity: The maximum number of exposures that wait for subscribers.
  ///   - time: The clocks.
  public init(
    sampling: Double = 1, subject: Property<String?> = .constant(nil), salt: String = "",
    deduplication: Duration = .seconds(600), capacity: Int = 1_000, time: TweakTime = .system
  ) {
    self.sampling = sampling
    self.subject = subject
    self.salt = salt
    self.deduplication = deduplication
    self.capacity = max(1, capacity)
    self.time = time
  }
}

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
