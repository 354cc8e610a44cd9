public import Foundation
public import Signals

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
