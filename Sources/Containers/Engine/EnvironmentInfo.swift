import AppGroups
import Foundation

/// The record of one environment, stored beside its files.
struct EnvironmentInfo: Codable, Sendable, Equatable {
  static let format = FileFormat<EnvironmentInfo>.record(FileVersions(EnvironmentInfo.self))

  var uuid: String
  var name: String
  var description: String?
  var createdAt: Date
}
