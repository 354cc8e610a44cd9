import FileSignals
package import Foundation

/// The consumers of all logs in a root whose contents are switched.
package enum LogConsumers {
  /// Keeps the logs of the new contents for the consumers of the old ones, which may arrive later.
  ///
  /// Call it before any process shows the new contents, and again when the switch is recorded, because a process that
  /// shows the old ones may subscribe in between. An error does not stop a switch: a consumer for which no note
  /// is left begins with the events that the log still has.
  ///
  /// - Parameters:
  ///   - old: The directory with the contents that leave.
  ///   - new: The directory with the contents that arrive.
  package static func expectConsumers(of old: URL, in new: URL) {
    do {
      let logs = old.appending(path: LogPlace.folder, directoryHint: .isDirectory)
      guard try FileStatus(path: logs.path, followsLinks: false)?.kind == .directory else { return }
      let (leaving, arriving) = try (AppGroupsContainer(directory: old), AppGroupsContainer(directory: new))
      for name in try DirectoryListing.names(in: logs) ?? [] {
        // This is not a log, or it cannot be read.
        tolerating {
          try expectConsumers(of: LogPlace(opening: name, in: leaving, switchCount: 0, isMaking: false), in: arriving)
        }
      }
    } catch {
      // One of the directories cannot be used.
    }
  }

  private static func expectConsumers(of old: LogPlace, in container: AppGroupsContainer) throws(AppGroupsLogError) {
    var seen: [(name: String, time: Int?, moment: UptimeMoment?)] = []
    for consumer in try ConsumerPlace.all(in: old) {
      // An idle consumer does not save its position, but holds its lock.
      guard let time = try consumer.lastKnown else { continue }
      seen.append(
        consumer.isRunning ? (consumer.name, nil, .now) : (consumer.name, time, consumer.lastMoment))
    }
    guard !seen.isEmpty else { return }
    let new = try LogPlace(opening: old.name, in: container, switchCount: 0, isMaking: true)
    for (name, time, moment) in seen {
      let consumer = try ConsumerPlace(name: name, place: new)
      if try !consumer.isRemoved { try consumer.expect(since: time, moment: moment) }
    }
  }
}
