import CLibrary
import FileSignals
import Foundation

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
