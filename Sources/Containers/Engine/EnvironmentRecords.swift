import AppGroups
import FileSignals
import Foundation
import Signals

/// The decoded records of a root's environments.
///
/// Every change publishes all environments, but rarely changes more than one record. A record is read again only if its
/// file has another stamp.
final class EnvironmentRecords: Sendable {
  private struct Known {
    let info: EnvironmentInfo
    let stamp: FileStamp
    /// A Boolean value that indicates whether the file could change again without another stamp.
    let isYoung: Bool
  }

  /// The longest tick of any file system's clock, in nanoseconds.
  private static let tick: Int64 = 2_000_000_000

  private let directory: String
  private let records = Guarded<[UUID: Known]>([:])

  /// - Parameter directory: The directory that contains the environments' directories.
  init(in directory: URL) {
    self.directory = directory.path
  }

  /// Returns the record of an environment.
  ///
  /// - Parameters:
  ///   - id: The environment.
  ///   - read: Reads the record.
  /// - Returns: The record that has been read, now or with the file's present stamp.
  /// - Throws: The error of `read`, which is not kept.
  func info(
    _ id: UUID, read: () throws(AppContainerError) -> EnvironmentInfo
  ) throws(AppContainerError) -> EnvironmentInfo {
    // Without a stamp, the record is read again.
    let stamp = FileStamp.ifReadable(path: "\(directory)/\(id.uuidString)/\(ContainerLayout.info)")
    if let stamp, let known = records.withLock({ $0[id] }), known.stamp == stamp { return known.info }
    let info = try read()
    // A file that is replaced while it is read has another stamp than this one.
    if let stamp {
      let age = Int64(Date().timeIntervalSince1970 * 1e9) - stamp.modified
      let known = Known(info: info, stamp: stamp, isYoung: age < Self.tick)
      records.withLock { $0[id] = known }
    }
    return info
  }

  /// Forgets the records that another process may have replaced since, unnoticed by their stamps.
  func distrust() {
    records.withLock { $0 = $0.filter { !$0.value.isYoung } }
  }

  /// Forgets the record of an environment, which is about to be replaced or has been removed.
  func forget(_ id: UUID) {
    records.withLock { $0[id] = nil }
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
