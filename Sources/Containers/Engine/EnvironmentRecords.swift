import AppGroups
import FileSignals
import Foundation
import Signals
import Synchronization

/// The decoded records of a root's environments.
///
/// Every change publishes all environments, but rarely changes more than one record. A record is read again only if its
/// file has another stamp. Of many environments, not even the stamp is checked while no process can have replaced the
/// record: an update raises the revision of the state first. A change checks only a few, in turn, so that it also finds
/// what a program without the root's lock has done.
final class EnvironmentRecords: Sendable {
  private struct Known {
    let info: EnvironmentInfo
    let stamp: FileStamp
    /// A Boolean value that indicates whether the file could change again without another stamp.
    let isYoung: Bool
    /// A Boolean value that indicates whether no process has replaced the record since its stamp was checked.
    var isCurrent = true
  }

  /// The longest tick of any file system's clock.
  private static let tick = Duration.seconds(2)

  private let directory: String
  private let records = Guarded<[UUID: Known]>([:])

  /// The number of times that a known record was replaced or forgotten.
  private let replacements = Atomic(0)

  /// The number of records that each change checks although it could rely on them.
  static let checksPerChange = 32

  /// The index of the first environment that the next change checks.
  private let nextCheck = Atomic(0)

  /// - Parameter directory: The directory that contains the environments' directories.
  init(in directory: URL) {
    self.directory = directory.path
  }

  /// A number that differs from an earlier one unless all known records are still the same, and may be relied on.
  var generation: Int { replacements.load(ordering: .acquiring) }

  private func countReplacement() { replacements.wrappingAdd(1, ordering: .acquiringAndReleasing) }

  /// Returns the record of an environment.
  ///
  /// - Parameters:
  ///   - id: The environment.
  ///   - isTrusting: A Boolean value that indicates whether to rely on the known record if no process can have replaced
  ///     it. Then a program that does not hold the root's lock can change a record unnoticed.
  ///   - read: Reads the record.
  /// - Returns: The record that has been read, now or with the file's present stamp.
  /// - Throws: The error of `read`, which is not kept.
  func info(
    _ id: UUID, isTrusting: Bool, read: () throws(AppContainerError) -> EnvironmentInfo
  ) throws(AppContainerError) -> EnvironmentInfo {
    if isTrusting, let known = records.withLock({ $0[id] }), known.isCurrent { return known.info }
    // Without a stamp, the record is read again.
    let stamp = FileStamp.ifReadable(path: "\(directory)/\(id.uuidString)/\(ContainerLayout.info)")
    let known = records.withLock { records in
      if stamp == nil || records[id]?.stamp != stamp { records[id] = nil }
      records[id]?.isCurrent = true
      return records[id]
    }
    if let known { return known.info }
    // Counted even if it cannot be read, because it is not known any more.
    defer { countReplacement() }
    let info = try read()
    // A file that is replaced while it is read has another stamp than this one.
    if let stamp {
      let isYoung = FileStamp.age(of: .nanoseconds(stamp.modified)) < Self.tick
      let known = Known(info: info, stamp: stamp, isYoung: isYoung)
      records.withLock { $0[id] = known }
    }
    return info
  }

  /// Returns the index of the first environment that a change checks, although it could rely on its record.
  ///
  /// The environments take turns.
  func beginChecks(among count: Int) -> Int {
    nextCheck.wrappingAdd(Self.checksPerChange, ordering: .relaxed).oldValue % max(1, count)
  }

  /// Checks all stamps again, because another process may have replaced records, and forgets those that it may have
  /// replaced unnoticed by their stamps.
  func distrust() {
    records.withLock { records in
      records = records.filter { !$0.value.isYoung }
      for id in records.keys { records[id]?.isCurrent = false }
    }
    countReplacement()
  }

  /// Forgets the record of an environment, which is about to be replaced or has been removed.
  func forget(_ id: UUID) {
    records.withLock { $0[id] = nil }
    countReplacement()
  }
}

/// The record of one environment, stored beside its files.
struct EnvironmentInfo: Codable, Sendable, Equatable {
  static let format = FileFormat<EnvironmentInfo>.record(FileVersions(EnvironmentInfo.self))

  var uuid: String
  var name: String
  var description: String?
  var createdAt: Date
}
