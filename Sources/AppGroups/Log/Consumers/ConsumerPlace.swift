import CLibrary
import FileSignals
import Foundation

/// The files of one consumer: its cursor, the lock of the process that reads, and notes of lost and of expected events.
struct ConsumerPlace: Sendable {
  let name: String
  let place: LogPlace

  static let cursorSuffix = ".cursor"
  static let lockSuffix = ".lock"
  static let lossSuffix = ".loss"
  static let expectationSuffix = ".expected"
  /// The maximum size of a cursor file in bytes; a cursor takes about 150 bytes for each producer.
  static let largestCursor = 64 << 20

  init(name: String, place: LogPlace) throws(AppGroupsLogError) {
    if let problem = PathComponent.problem(with: name, limit: LogPlace.maximumNameLength) {
      throw .invalidName(name, reason: problem)
    }
    self.name = name
    self.place = place
  }

  /// Returns all consumers that a log may be kept for.
  static func all(in place: LogPlace) throws(AppGroupsLogError) -> [ConsumerPlace] {
    var names: Set<String> = []
    for file in try SegmentListing.names(at: place.consumersPath, in: place.base, of: place.consumers) {
      // Not all file systems list a cursor that is replaced during the listing. The lock remains.
      for suffix in [cursorSuffix, lockSuffix, expectationSuffix] {
        if let name = file.without(ending: suffix) { names.insert(name) }
      }
    }
    var all: [ConsumerPlace] = []
    for name in names where PathComponent.problem(with: name, limit: LogPlace.maximumNameLength) == nil {
      all.append(try ConsumerPlace(name: name, place: place))
    }
    return all
  }

  func file(_ suffix: String) -> URL {
    place.consumers.appending(path: name + suffix, directoryHint: .notDirectory)
  }

  func path(_ suffix: String) -> String { place.path(ofConsumerFile: name + suffix) }

  // MARK: Files

  /// Returns the kind of a file that is not regular; `nil` if it is regular or missing.
  func strayKind(_ suffix: String) throws(AppGroupsLogError) -> FileStatus.Kind? {
    guard let kind = try status(suffix)?.kind, kind != .regular else { return nil }
    return kind
  }

  /// Returns the status of the file in a place, or `nil` if there is none; a link is not followed.
  func status(_ suffix: String) throws(AppGroupsLogError) -> FileStatus? {
    try AppGroupsLogError.examining { () throws(DurableFileError) in try fileStatus(suffix) }
  }

  private func fileStatus(_ suffix: String) throws(DurableFileError) -> FileStatus? {
    try FileStatus(path: path(suffix), relativeTo: place.base, followsLinks: false, of: file(suffix))
  }

  /// Removes a link, a pipe, an empty directory, or anything else that is not a regular file.
  func removeStray(_ suffix: String) throws(DurableFileError) {
    guard let kind = try fileStatus(suffix)?.kind, kind != .regular else { return }
    let result = unlinkat(place.base, path(suffix), kind == .directory ? AT_REMOVEDIR : 0)
    let url = file(suffix)
    guard result == 0 || errno == ENOENT else {
      throw kind == .directory ? .notARegularFile(url, kind: kind.rawValue) : DurableFileError(errno, "remove", url)
    }
  }

  /// Replaces a file, and never follows a link out of the container, even one that is created during the call.
  func write(_ data: Data, to suffix: String) throws(DurableFileError) {
    let url = file(suffix)
    let file =
      place.isAnchored
      ? try ExclusiveFile(locking: url, at: place.consumersPath, in: place.base)
      : try ExclusiveFile(locking: url, within: FileConfinement(to: place.container.containerURL))
    defer { file.unlock() }
    try file.prepare(data, durability: .process, by: .omitted).commit()
  }

  /// Throws an error if a link is in a file's place, because it could lead to a file in another part of the container.
  func refuseLink(_ suffix: String) throws(AppGroupsLogError) {
    guard try status(suffix)?.kind == .link else { return }
    throw .inaccessible(.notARegularFile(file(suffix), kind: FileStatus.Kind.link.rawValue))
  }
}
