import AppGroups
import Foundation

/// What is known of one container, apart from the state of all, as it is written down.
struct ContainerInfo: Codable, Sendable, Equatable {
  static let format = FileFormat<ContainerInfo>.record(FileVersions(ContainerInfo.self))

  var uuid: String
  var name: String
  var description: String?
  var createdAt: Date
}
