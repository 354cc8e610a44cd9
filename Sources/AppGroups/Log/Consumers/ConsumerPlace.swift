import CLibrary
import Dispatch
import FileSignals
import Foundation

/// The files of one consumer: its cursor, the lock of the process that reads, and notes of lost and of expected events.
struct ConsumerPlace: Sendable {
  let name: String
  let place: LogPlace

  static let cursorSuffix = ".cursor"
  private static let lockSuffix = ".lock"
  private static let lossSuffix = ".loss"
  static let expectationSuffix = ".expected"
  /// The maximum size of a cursor file in bytes; a cursor takes about 150 bytes for each producer.
  private static let largestCursor = 64 << 20

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

  /// Returns the same consumer in another place.
  func moved(to place: LogPlace) throws(AppGroupsLogError) -> ConsumerPlace {
    try ConsumerPlace(name: name, place: place)
  }

  func file(_ suffix: String) -> URL {
    place.consumers.appending(path: name + suffix, directoryHint: .notDirectory)
  }

  func path(_ suffix: String) -> String { place.path(ofConsumerFile: name + suffix) }

  // MARK: The lock

  /// Becomes the consumer until the lock is released or the process dies.
  ///
  /// - Parameter creating: A Boolean value that indicates whether to create a missing lock file.
  /// - Returns: The lock, or `nil` if another process is the consumer, or if the file is missing and not created.
  /// - Throws: ``AppGroupsLogError`` if the lock cannot be acquired.
  func lock(creating: Bool = true) throws(AppGroupsLogError) -> ConsumerLock? {
    let path = path(Self.lockSuffix)
    do throws(DurableFileError) {
      let lock = try FileLock.acquired(
        at: file(Self.lockSuffix), path: path, in: place.base, creating ? .createdIfMissing : .existing,
        owner: .ifReadable(path: place.consumersPath, relativeTo: place.base))
      guard let lock else { return nil }
      return ConsumerLock(lock, path: path, place: place)
    } catch .notFound where !creating {
      return nil
    } catch {
      throw .file(error, to: "read", of: place.url)
    }
  }

  /// A Boolean value that indicates whether a process is the consumer now.
  var isRunning: Bool {
    guard let lock = FileLock(path(Self.lockSuffix), in: place.base, .existing, of: file(Self.lockSuffix)) else {
      // A lock that cannot be opened, for whatever reason, may be held.
      guard errno != ENOENT, errno != ENOTDIR else { return false }
      do throws(AppGroupsLogError) {
        return try !hasStrayLock
      } catch {
        return true
      }
    }
    do throws(DurableFileError) {
      return try !lock.tryLock()
    } catch {
      return true
    }
  }

  /// The time for which the consumer waits for another process of the same name, before it reports that.
  var patience: DispatchTimeInterval {
    let (seconds, attoseconds) = DirectoryRules.nameLimit(for: file(Self.lockSuffix)).components
    guard seconds < 1 << 30 else { return .never }
    return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
  }

  /// The process that is the consumer; `nil` if there is none, or if the system does not name it.
  var holder: LockHolder? {
    FileLock(path(Self.lockSuffix), in: place.base, .reading, of: file(Self.lockSuffix))?.holder
  }

  /// The error that names the process that is the consumer.
  var inUse: AppGroupsLogError { .consumerInUse(name, holder: holder) }

  /// The identity of the file that the running consumer keeps locked, or `nil` if there is none.
  var lockIdentity: FileIdentity? { get throws(AppGroupsLogError) { try status(Self.lockSuffix)?.identity } }

  // MARK: The cursor

  /// A Boolean value that indicates whether the consumer's position is known, so that the log is kept for it.
  var exists: Bool { get throws(AppGroupsLogError) { try lastSeen != nil } }

  /// Returns the consumer's positions, or `nil` if it is new.
  ///
  /// - Throws: ``AppGroupsLogError/unreadableCursor(consumer:_:reason:)`` if the cursor can never be read, and another
  ///   error if reading it failed.
  func load() throws(AppGroupsLogError) -> [UUID: LogPosition]? {
    let url = file(Self.cursorSuffix)
    if let kind = try strayKind(Self.cursorSuffix) {
      throw .unreadableCursor(consumer: name, url, reason: "it is \(kind.rawValue), not a regular file")
    }
    let data: Data
    do throws(DurableFileError) {
      data = try DurableFile.read(path(Self.cursorSuffix), in: place.base, limit: Self.largestCursor, of: url)
    } catch .notFound {
      return nil
    } catch .exceedsLimit(_, let size, _) {
      throw .unreadableCursor(consumer: name, url, reason: "its \(size) bytes exceed the limit for a cursor")
    } catch .directoryNotFound(let directory) {
      throw .inaccessible(.directoryNotFound(directory))
    } catch {
      throw .inaccessibleCursor(consumer: name, error)
    }
    do {
      return try JSONDecoder().decode(CursorContent.self, from: data).validated()
    } catch {
      throw .unreadableCursor(consumer: name, url, reason: CodingReason.words(for: error))
    }
  }

  /// Saves the consumer's positions.
  func save(_ positions: [UUID: LogPosition]) throws(AppGroupsLogError) {
    let url = file(Self.cursorSuffix)
    let data: Data
    do {
      data = try JSONEncoder().encode(CursorContent(positions))
    } catch {
      throw .unencodable(url, reason: CodingReason.words(for: error))
    }
    try refuseLink(Self.cursorSuffix)
    do throws(DurableFileError) {
      try write(data, to: Self.cursorSuffix)
    } catch {
      throw .file(error, to: "save the position in", of: place.url)
    }
  }

  // MARK: Stray files

  /// A Boolean value that indicates whether something other than a regular file is in the cursor's place.
  ///
  /// No consumer can have saved it.
  var hasStrayCursor: Bool { get throws(AppGroupsLogError) { try strayKind(Self.cursorSuffix) != nil } }

  /// A Boolean value that indicates whether something other than a regular file is in the lock's place.
  ///
  /// Then no process can be the consumer.
  var hasStrayLock: Bool { get throws(AppGroupsLogError) { try strayKind(Self.lockSuffix) != nil } }

  /// Removes anything in the cursor's place that is not a regular file, so that a cursor can be saved.
  func removeStrayCursor() throws(AppGroupsLogError) {
    do throws(DurableFileError) {
      try removeStray(Self.cursorSuffix)
    } catch {
      throw .inaccessibleCursor(consumer: name, error)
    }
  }

  /// Returns the kind of a file that is not regular; `nil` if it is regular or missing.
  private func strayKind(_ suffix: String) throws(AppGroupsLogError) -> FileStatus.Kind? {
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
  private func removeStray(_ suffix: String) throws(DurableFileError) {
    guard let kind = try fileStatus(suffix)?.kind, kind != .regular else { return }
    let result = unlinkat(place.base, path(suffix), kind == .directory ? AT_REMOVEDIR : 0)
    let url = file(suffix)
    guard result == 0 || errno == ENOENT else {
      throw kind == .directory ? .notARegularFile(url, kind: kind.rawValue) : DurableFileError(errno, "remove", url)
    }
  }

  /// The moment at which the cursor was last saved, or since which the consumer is expected; `nil` if it is unknown.
  var lastMoment: UptimeMoment? {
    do {
      let suffix = try exists ? Self.cursorSuffix : Self.expectationSuffix
      let data = try DurableFile.read(path(suffix), in: place.base, limit: Self.largestCursor, of: file(suffix))
      return suffix == Self.cursorSuffix ? CursorContent.moment(in: data) : UptimeMoment(text: data)
    } catch {
      return nil
    }
  }

  /// The time at which the cursor was last saved, in seconds since 1970; `nil` if no cursor was saved.
  var lastSeen: Int? {
    get throws(AppGroupsLogError) {
      guard let status = try status(Self.cursorSuffix), status.kind == .regular else { return nil }
      return status.modified
    }
  }

  /// Removes the consumer's cursor and its notes, so that the log is not kept for it any more.
  func forget() throws(AppGroupsLogError) {
    try removeCursor()
    _ = try takeLossNote()
  }

  /// Removes everything for which the log is kept for the consumer.
  func removeCursor() throws(AppGroupsLogError) {
    for suffix in [Self.expectationSuffix, Self.cursorSuffix] {
      guard unlinkat(place.base, path(suffix), 0) == 0 || errno == ENOENT || errno == ENOTDIR else {
        throw .inaccessible(DurableFileError(errno, "remove", file(suffix)))
      }
    }
  }

  // MARK: Lost events

  /// Leaves a note that events were removed before the consumer received them.
  func leaveLossNote(of loss: LogLoss) throws(AppGroupsLogError) {
    do throws(DurableFileError) {
      try removeStray(Self.lossSuffix)
      try write(Data(loss.word.utf8), to: Self.lossSuffix)
    } catch {
      throw .file(error, to: "trim", of: place.url)
    }
  }

  /// The reason in the note of lost events, which stays; `nil` if there is no note.
  var lossNote: String? {
    get throws(AppGroupsLogError) {
      guard try status(Self.lossSuffix)?.kind == .regular else { return nil }
      do throws(DurableFileError) {
        let data = try DurableFile.read(path(Self.lossSuffix), in: place.base, limit: 64, of: file(Self.lossSuffix))
        return String(decoding: data, as: UTF8.self)
      } catch {
        return LogLoss.sizeLimit.word
      }
    }
  }

  /// Returns the reason in the note of lost events, and removes the note.
  func takeLossNote() throws(AppGroupsLogError) -> LogLoss? {
    let (path, base) = (path(Self.lossSuffix), place.base)
    guard try status(Self.lossSuffix)?.kind == .regular else { return nil }
    do throws(DurableFileError) {
      let data = try DurableFile.read(path, in: base, limit: 64, of: file(Self.lossSuffix))
      let word = String(decoding: data, as: UTF8.self)
      unlinkat(base, path, 0)
      return word == LogLoss.absence.word ? .absence : .sizeLimit
    } catch {
      // Even an unreadable note shows that events were lost.
      unlinkat(base, path, 0)
      return .sizeLimit
    }
  }

  /// Replaces a file, and never follows a link out of the container, even one that is created during the call.
  private func write(_ data: Data, to suffix: String) throws(DurableFileError) {
    let url = file(suffix)
    let file =
      place.isAnchored
      ? try ExclusiveFile(locking: url, at: place.consumersPath, in: place.base)
      : try ExclusiveFile(locking: url, within: FileConfinement(to: place.container.containerURL))
    defer { file.unlock() }
    try file.prepare(data, durability: .process).commit()
  }

  /// Throws an error if a link is in a file's place, because it could lead to a file in another part of the container.
  private func refuseLink(_ suffix: String) throws(AppGroupsLogError) {
    guard try status(suffix)?.kind == .link else { return }
    throw .inaccessible(.notARegularFile(file(suffix), kind: FileStatus.Kind.link.rawValue))
  }
}

/// The lock that makes its owner the consumer for as long as this object lives.
final class ConsumerLock: Sendable {
  private let lock: FileLock
  private let path: String
  private let place: LogPlace

  fileprivate init(_ lock: consuming FileLock, path: String, place: LogPlace) {
    self.lock = lock
    self.path = path
    self.place = place
  }

  /// A Boolean value that indicates whether the lock's file still exists.
  ///
  /// If it was removed, another process can become the same consumer.
  var isInPlace: Bool {
    get throws(AppGroupsLogError) {
      try AppGroupsLogError.examining { () throws(DurableFileError) in try lock.isFile(at: path, in: place.base) }
    }
  }
}

extension LogLoss {
  /// The word that represents the reason in a file.
  var word: String {
    switch self {
    case .sizeLimit: "sizeLimit"
    case .absence: "absence"
    }
  }
}
