public import Foundation

/// One environment: a complete set of what an app stores, of which one is live at a time.
///
/// It is a record of what was true when it was read, and stays that way; ``AppContainer/list`` and
/// ``AppContainer/active`` send newer ones. Containers are found again by their ``uuid``, which never changes.
public struct Container: Codable, Hashable, Sendable, Identifiable {
  /// The identifier of the default container, which every root has.
  public static let defaultUUID = "00000000-0000-0000-0000-000000000000"

  /// What tells it from all other containers.
  public let uuid: String

  /// What people call it; several may have the same name.
  public internal(set) var name: String

  /// What it is for, if somebody has said.
  public internal(set) var description: String?

  /// When it was made.
  public let createdAt: Date

  /// When it was last activated; `nil` if it never was.
  public internal(set) var lastActivatedDate: Date?

  /// How often it was activated.
  public internal(set) var activatedCount: Int

  /// Why its record cannot be read, in words; `nil` if all is well.
  ///
  /// The files of such a container are unharmed, and it can be activated as any other. Its name and dates are made up;
  /// ``AppContainer/updateContainerInfo(uuid:name:description:)`` writes the record anew, unless a newer version of the
  /// package wrote it.
  public internal(set) var problem: String?

  init(
    uuid: String, name: String, description: String? = nil, createdAt: Date, lastActivatedDate: Date? = nil,
    activatedCount: Int = 0, problem: String? = nil
  ) {
    self.uuid = uuid
    self.name = name
    self.description = description
    self.createdAt = createdAt
    self.lastActivatedDate = lastActivatedDate
    self.activatedCount = activatedCount
    self.problem = problem
  }

  /// The same as ``uuid``.
  public var id: String { uuid }

  /// Whether it is the default container, which cannot be deleted.
  public var isDefault: Bool { uuid == Self.defaultUUID }
}
