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

/// The cursor of a consumer: its position in each producer's events.
extension ConsumerPlace {
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
    return try translating(JSONDecoder().decode(CursorContent.self, from: data).validated()) { (error: any Error) in
      AppGroupsLogError.unreadableCursor(consumer: name, url, reason: CodingReason.words(for: error))
    }
  }

  /// Saves the consumer's positions.
  func save(_ positions: [UUID: LogPosition]) throws(AppGroupsLogError) {
    let url = file(Self.cursorSuffix)
    let data = try translating(JSONEncoder().encode(CursorContent(positions))) { (error: any Error) in
      AppGroupsLogError.unencodable(url, reason: CodingReason.words(for: error))
    }
    try refuseLink(Self.cursorSuffix)
    try translating(write(data, to: Self.cursorSuffix)) { (error: DurableFileError) in
      AppGroupsLogError.file(error, to: "save the position in", of: place.url)
    }
  }

  /// A Boolean value that indicates whether something other than a regular file is in the cursor's place.
  ///
  /// No consumer can have saved it.
  var hasStrayCursor: Bool { get throws(AppGroupsLogError) { try strayKind(Self.cursorSuffix) != nil } }

  /// Removes anything in the cursor's place that is not a regular file, so that a cursor can be saved.
  func removeStrayCursor() throws(AppGroupsLogError) {
    try translating(removeStray(Self.cursorSuffix)) { (error: DurableFileError) in
      AppGroupsLogError.inaccessibleCursor(consumer: name, error)
    }
  }

  /// The moment at which the cursor was last saved, or since which the consumer is expected; `nil` if it is unknown.
  var lastMoment: UptimeMoment? {
    tolerating(else: nil) {
      let suffix = try exists ? Self.cursorSuffix : Self.expectationSuffix
      let data = try DurableFile.read(path(suffix), in: place.base, limit: Self.largestCursor, of: file(suffix))
      return suffix == Self.cursorSuffix ? CursorContent.moment(in: data) : UptimeMoment(text: data)
    }
  }

  /// The time at which the cursor was last saved, in seconds since 1970; `nil` if no cursor was saved.
  var lastSeen: Int? {
    get throws(AppGroupsLogError) {
      guard let status = try status(Self.cursorSuffix), status.kind == .regular else { return nil }
      return status.modified.tv_sec
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
}

/// A cursor as it is stored on disk: JSON with a checksum of its positions.
struct CursorContent: Codable {
  private let positions: [String: LogPosition]
  /// The checksum of the positions, or `nil` in a cursor of the first version.
  private let checksum: UInt32?
  /// The moment at which it was saved, as ``UptimeMoment/text``; `nil` in a cursor of an earlier version.
  private let moment: String?

  init(_ positions: [UUID: LogPosition]) {
    self.positions = Dictionary(uniqueKeysWithValues: positions.map { ($0.key.uuidString, $0.value) })
    checksum = Self.checksum(of: self.positions)
    moment = UptimeMoment.now?.text
  }

  /// Returns the moment at which a cursor was saved, or `nil` if it is unknown.
  static func moment(in data: Data) -> UptimeMoment? {
    tolerating(
      try JSONDecoder().decode(CursorContent.self, from: data).moment.flatMap { UptimeMoment(text: $0) }, else: nil)
  }

  /// Returns the positions if they are valid.
  func validated() throws -> [UUID: LogPosition] {
    guard checksum == nil || checksum == Self.checksum(of: positions) else {
      throw Self.error("the checksum is wrong")
    }
    var validated: [UUID: LogPosition] = [:]
    for (key, position) in positions {
      guard position.isPossible else { throw Self.error("a position is out of range") }
      if let producer = UUID(uuidString: key) { validated[producer] = position }
    }
    return validated
  }

  /// Returns the CRC-32 of one line for each producer, in the order of their names.
  private static func checksum(of positions: [String: LogPosition]) -> UInt32 {
    var text = ""
    for (producer, position) in positions.sorted(by: { $0.key < $1.key }) {
      text += "\(producer) \(position.segment) \(position.offset) \(position.sequence) \(position.isBroken)\n"
    }
    return Array(text.utf8).withUnsafeBytes { Checksum.of($0) }
  }

  private static func error(_ words: String) -> DecodingError {
    .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: words))
  }
}
