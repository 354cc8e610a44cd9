import AppGroups
import Foundation

/// What is known of the containers of a root, as it is written down.
struct ContainerState: Codable, Sendable, Equatable {
  /// How often a container was activated, and when for the last time.
  struct Activation: Codable, Sendable, Equatable {
    var count = 0
    var date: Date?
  }

  static let format = FileFormat<ContainerState>.record(FileVersions(ContainerState.self))

  /// Counts the changes of anything that is told of containers, so that those who watch know what is news.
  var revision = 0

  /// Counts the switches, and how often the active container was emptied: what is live is something else then.
  var switches = 0

  var active = Container.defaultUUID

  /// All containers, in the order in which they were made.
  var uuids = [Container.defaultUUID]

  /// What is not switched, as paths from the root on.
  var excludes: [String] = []

  /// By identifier; here and not with the names, so that a switch changes one file.
  var activations: [String: Activation] = [:]
}
