import FileSignals
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The files of one consumer: how far it is, who it is at the moment, and what it has lost.
struct ConsumerPlace: Sendable {
  let name: String
  let place: LogPlace

  private static let cursorSuffix = ".cursor"
  private static let lockSuffix = ".lock"
  /// How many bytes of a cursor are read; it takes some 150 for each producer.
  private static let largestCursor = 64 << 20

  init(name: String, place: LogPlace) throws(AppGroupsLogError) {
    if let problem = PathComponent.problem(with: name, limit: LogPlace.maximumNameLength) {
      throw .invalidName(name, reason: problem)
    }
    self.name = name
    self.place = place
  }

  /// All consumers that a log may be kept for.
  static func all(in place: LogPlace) throws(AppGroupsLogError) -> [ConsumerPlace] {
    var names: Set<String> = []
    for file in try SegmentListing.names(in: place.consumers) {
      // Not all file systems show a cursor that is replaced while they are read. The lock stays.
      for suffix in [cursorSuffix, lockSuffix] where file.hasSuffix(suffix) {
        names.insert(String(file.dropLast(suffix.count)))
      }
    }
    var all: [ConsumerPlace] = []
    for name in names where PathComponent.problem(with: name) == nil {
      all.append(try ConsumerPlace(name: name, place: place))
    }
    return all
  }

  private func file(_ suffix: String) -> URL {
    place.consumers.appending(path: name + suffix, directoryHint: .notDirectory)
  }

  // MARK: The lock

  /// Becomes the consumer, until the lock is released or the process dies; `nil` if somebody else is.
  func lock(creating: Bool = true) throws(AppGroupsLogError) -> ConsumerLock? {
    let url = file(Self.lockSuffix)
    let folder = place.consumers.path
    do throws(DurableFileError) {
      let lock = try FileLock.acquired(
        at: url, creating ? .createdIfMissing : .existing, owner: FileStatus(path: folder))
      guard let lock else { return nil }
      return ConsumerLock(lock, path: url.path)
    } catch .notFound where !creating {
      return nil
    } catch {
      throw .inaccessible(error)
    }
  }

  /// Whether a process is the consumer now.
  var isRunning: Bool {
    let url = file(Self.lockSuffix)
    guard let lock = FileLock(url.path, .existing, of: url) else {
      // One that may not be opened cannot be asked.
      return errno == EACCES || errno == EPERM
    }
    do throws(DurableFileError) {
      return try !lock.tryLock()
    } catch {
      return true
    }
  }

  // MARK: The cursor

  /// Whether it is known how far the consumer is, so that the log is kept for it.
  var exists: Bool { lastSeen != nil }

  /// How far the consumer is, or `nil` if it is new.
  ///
  /// - Throws: ``AppGroupsLogError/unreadableCursor(consumer:_:reason:)`` if what is there can never be read, and
  ///   another error if reading it failed.
  func load() throws(AppGroupsLogError) -> [UUID: LogPosition]? {
    let url = file(Self.cursorSuffix)
    if let kind = strayKind(url) {
      throw .unreadableCursor(consumer: name, url, reason: "it is \(kind.rawValue), not a regular file")
    }
    let data: Data
    do throws(DurableFileError) {
      data = try DurableFile.read(url, limit: Self.largestCursor)
    } catch .notFound {
      return nil
    } catch .exceedsLimit(_, let size, _) {
      throw .unreadableCursor(consumer: name, url, reason: "it has \(size) bytes, more than any cursor")
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

  /// Notes how far the consumer is.
  func save(_ positions: [UUID: LogPosition]) throws(AppGroupsLogError) {
    let url = file(Self.cursorSuffix)
    let data: Data
    do {
      data = try JSONEncoder().encode(CursorContent(positions))
    } catch {
      throw .unencodable(url, reason: CodingReason.words(for: error))
    }
    do throws(DurableFileError) {
      try refuseLink(url)
      try write(data, to: url)
    } catch {
      throw .inaccessible(error)
    }
  }

  // MARK: What is no file

  /// Whether something other than a file is in the place of the cursor, so that no consumer can have saved it.
  var hasStrayCursor: Bool { strayKind(file(Self.cursorSuffix)) != nil }

  /// Whether something other than a file is in the place of the lock, so that no process can be the consumer.
  var hasStrayLock: Bool { strayKind(file(Self.lockSuffix)) != nil }

  /// Removes what is in the place of the cursor and is no file, so that one can be saved.
  func removeStrayCursor() throws(AppGroupsLogError) {
    do throws(DurableFileError) {
      try removeStray(file(Self.cursorSuffix))
    } catch {
      throw .inaccessibleCursor(consumer: name, error)
    }
  }

  /// What something is that is no file; `nil` if it is one, or nothing.
  private func strayKind(_ url: URL) -> FileStatus.Kind? {
    guard let kind = FileStatus(path: url.path, followsLinks: false)?.kind, kind != .regular else { return nil }
    return kind
  }

  /// Removes a link, a pipe, an empty directory, or whatever else is no file.
  private func removeStray(_ url: URL) throws(DurableFileError) {
    guard let kind = strayKind(url) else { return }
    let result = kind == .directory ? rmdir(url.path) : unlink(url.path)
    guard result == 0 || errno == ENOENT else {
      throw kind == .directory ? .notARegularFile(url, kind: kind.rawValue) : DurableFileError(errno, "remove", url)
    }
  }

  /// When the consumer was last heard of, in seconds since 1970; `nil` if no cursor was saved.
  var lastSeen: Int? { hasStrayCursor ? nil : FileStatus.modificationTime(ofPath: file(Self.cursorSuffix).path) }

  /// Removes what is known of the consumer, so that the log is not kept for it any more.
  func forget() throws(AppGroupsLogError) {
    try removeCursor()
    _ = takeWordOfLoss()
  }

  /// Removes how far the consumer is.
  func removeCursor() throws(AppGroupsLogError) {
    let url = file(Self.cursorSuffix)
    guard unlink(url.path) == 0 || errno == ENOENT || errno == ENOTDIR else {
      throw .inaccessible(DurableFileError(errno, "remove", url))
    }
  }

  // MARK: What was lost

  /// Leaves word that events were removed before the consumer had them.
  func leaveWord(of loss: LogLoss) throws(AppGroupsLogError) {
    let url = file(".loss")
    do throws(DurableFileError) {
      try removeStray(url)
      try write(Data(loss.word.utf8), to: url)
    } catch {
      throw .inaccessible(error)
    }
  }

  /// The word that was left, which is then removed.
  func takeWordOfLoss() -> LogLoss? {
    let url = file(".loss")
    guard FileStatus(path: url.path, followsLinks: false)?.kind == .regular else { return nil }
    do throws(DurableFileError) {
      let word = String(decoding: try DurableFile.read(url, limit: 64), as: UTF8.self)
      unlink(url.path)
      return word == LogLoss.absence.word ? .absence : .sizeLimit
    } catch {
      // What cannot be read is there all the same, and says that something was lost.
      unlink(url.path)
      return .sizeLimit
    }
  }

  /// Replaces a file; a link that takes its place meanwhile leads nowhere out of the container.
  private func write(_ data: Data, to url: URL) throws(DurableFileError) {
    let file = try ExclusiveFile(locking: url, within: FileConfinement(to: place.container.containerURL))
    defer { file.unlock() }
    try file.prepare(data, durability: .process).commit()
  }

  /// A link could lead to a file of another part of the container.
  private func refuseLink(_ url: URL) throws(DurableFileError) {
    guard FileStatus(path: url.path, followsLinks: false)?.kind == .link else { return }
    throw .notARegularFile(url, kind: FileStatus.Kind.link.rawValue)
  }
}

/// Being a consumer, for as long as this object lives.
final class ConsumerLock: Sendable {
  private let lock: FileLock
  private let path: String

  fileprivate init(_ lock: consuming FileLock, path: String) {
    self.lock = lock
    self.path = path
  }

  /// Whether nobody has removed the lock's file, after which somebody else could become the same consumer.
  var isInPlace: Bool { lock.isFile(at: path) }
}

extension LogLoss {
  /// How it is written down.
  var word: String {
    switch self {
    case .sizeLimit: "sizeLimit"
    case .absence: "absence"
    }
  }
}

extension FileStatus {
  /// When a file was last written, in seconds since 1970; links are not followed.
  static func modificationTime(ofPath path: String) -> Int? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    #if canImport(Darwin)
      return status.st_mtimespec.tv_sec
    #else
      return status.st_mtim.tv_sec
    #endif
  }
}
