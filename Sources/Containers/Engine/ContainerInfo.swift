import Foundation

/// What is known of one container, apart from the state of all, as it is written down.
struct ContainerInfo: VersionedRecord, Sendable, Equatable {
  static let version = 1

  var version = Self.version
  var uuid: String
  var name: String
  var description: String?
  var createdAt: Date
}
