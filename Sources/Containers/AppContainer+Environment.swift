public import Foundation

extension AppContainer {
  /// A complete set of the data that an app stores, of which one is active at a time.
  ///
  /// It is a snapshot: its properties do not change. ``AppContainer/environments`` and ``AppContainer/active`` send
  /// newer ones. The ``id`` of an environment never changes, so keep that to find the environment again. Two snapshots
  /// are equal only if all properties are: compare identifiers to compare environments.
  public struct Environment: Codable, Hashable, Sendable, Identifiable {
    /// The identifier of the default environment, which every root has.
    public static let defaultID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    /// The identifier, which no other environment has.
    public let id: UUID

    /// The display name; several environments may have the same name.
    public internal(set) var name: String

    /// The purpose of the environment, or `nil` if none was given.
    public internal(set) var description: String?

    /// The date of its creation.
    public let createdAt: Date

    /// The date of the last activation; `nil` if it was never activated.
    public internal(set) var lastActivatedAt: Date?

    /// The number of activations.
    public internal(set) var activationCount = 0

    /// The reason why its record cannot be read; `nil` if the record is sound.
    ///
    /// The files of such an environment are unharmed, and it can be activated like any other. Its name and dates are
    /// placeholders. ``AppContainer/update(id:name:description:)`` writes the record anew, unless a newer version of
    /// the package wrote it. If the reason may pass unnoticed, such as a lack of file descriptors, the record is read
    /// again after one second, two, four, and so on, up to thirty.
    public internal(set) var problem: String?

    /// A Boolean value that indicates whether this is the default environment, which cannot be deleted.
    public var isDefault: Bool { id == Self.defaultID }
  }
}

extension AppContainer {
  /// A step of a switch between environments.
  ///
  /// Each ``willChange(from:to:)`` is followed by exactly one ``didChange(from:to:)`` or ``failed(from:to:error:)``. A
  /// switch by another process is reported by ``didChange(from:to:)`` alone. If another process makes several switches
  /// in a row, only the last environment is reported, and nothing if it is the one that was active before.
  @nonexhaustive
  public enum Event: Sendable, Hashable {
    /// Another environment is about to replace the active one.
    case willChange(from: Environment, to: Environment)

    /// Another environment is active: its files, settings and cookies are in place, and all live values have followed.
    case didChange(from: Environment, to: Environment)

    /// The switch was refused or failed; the environment that was active still is.
    case failed(from: Environment, to: Environment, error: AppContainerError)
  }
}
