import CLibrary
import FileSignals
import Foundation

/// Notes for consumers that have not read a log yet, so that the log is kept for them.
///
/// A consumer leaves one when it subscribes. Without it, the consumers that arrive first could handle and remove events
/// before this one has begun to read. ``LogConsumers`` leaves them when the contents of a root are switched.
extension ConsumerPlace {
  /// The age from which the time of a note or cursor is brought up to date.
  private static let staleAge = Duration.seconds(60)

  /// A Boolean value that indicates whether the log is kept for the consumer although it has not read it yet.
  var isExpected: Bool { get throws(AppGroupsLogError) { try expectedSince != nil } }

  /// The time since which the consumer is expected, in seconds since 1970, or `nil` if it is not.
  var expectedSince: Int? {
    get throws(AppGroupsLogError) {
      guard let status = try status(Self.expectationSuffix), status.kind == .regular else { return nil }
      return status.modified.tv_sec
    }
  }

  /// A Boolean value that indicates whether the consumer was removed from the log, and has not returned.
  ///
  /// Its lock remains. A consumer that was dropped because of its absence also has a note of lost events.
  var isRemoved: Bool {
    get throws(AppGroupsLogError) {
      guard try lockIdentity != nil, try lastKnown == nil else { return false }
      return try lossNote == nil
    }
  }

  /// The time when the consumer was last seen or since which it is expected, in seconds since 1970; `nil` if the log is
  /// not kept for it.
  var lastKnown: Int? {
    get throws(AppGroupsLogError) {
      if let lastSeen = try lastSeen { return lastSeen }
      return try expectedSince
    }
  }

  /// Keeps the log for the consumer from now on, whether it has read it before or not.
  ///
  /// Without the permission to create the note, it does nothing: such a process cannot become the consumer. If the note
  /// cannot be created for another reason, the consumer reports the same error when it begins.
  ///
  /// - Parameters:
  ///   - time: The time when the consumer was last seen, in seconds since 1970; by default now.
  ///   - moment: The same moment, independent of the system's clock, or `nil` if it is unknown; by default now.
  /// - Throws: ``AppGroupsLogError`` if it is unknown whether the log is kept already.
  func expect(since time: Int? = nil, moment: UptimeMoment? = .now) throws(AppGroupsLogError) {
    let time = time ?? Int(Date().timeIntervalSince1970)
    if let known = try lastKnown {
      let age = FileStamp.age(of: .seconds(known), at: .seconds(time))
      if age > Self.staleAge { setTime(time, of: try exists ? Self.cursorSuffix : Self.expectationSuffix) }
      return
    }
    // A suspended process must leave the directory as it is.
    guard DirectoryRules.phase(for: place.url) != .suspended else { return }
    let owner = FileStatus.ifReadable(path: place.consumersPath, relativeTo: place.base)
    let suffix = Self.expectationSuffix
    let note = FileLock(path(suffix), in: place.base, .createdIfMissing, of: file(suffix), owner: owner)
    guard let note else { return }
    // A note that cannot be written says as much as an empty one.
    if let moment { _ = Array(moment.text.utf8).withUnsafeBytes { writeAll($0, to: note.number, after: 0) } }
    setTime(time, of: suffix)
  }

  /// Records that the consumer is running, although it saves no position at the moment.
  func noteRunning() throws(AppGroupsLogError) {
    setTime(Int(Date().timeIntervalSince1970), of: try exists ? Self.cursorSuffix : Self.expectationSuffix)
  }

  private func setTime(_ time: Int, of suffix: String) {
    let times = [timespec(tv_sec: time, tv_nsec: 0), timespec(tv_sec: time, tv_nsec: 0)]
    utimensat(place.base, path(suffix), times, AT_SYMLINK_NOFOLLOW)
  }

  /// Removes the note that the consumer is expected, after its cursor was saved.
  func endExpectation() { unlinkat(place.base, path(Self.expectationSuffix), 0) }
}

/// The note of events that were removed before a consumer received them.
extension ConsumerPlace {
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
  ///
  /// Even an unreadable note shows that events were lost.
  var lossNote: LogLoss? {
    get throws(AppGroupsLogError) {
      guard try status(Self.lossSuffix)?.kind == .regular else { return nil }
      return tolerating(else: .sizeLimit) {
        let data = try DurableFile.read(path(Self.lossSuffix), in: place.base, limit: 64, of: file(Self.lossSuffix))
        return String(decoding: data, as: UTF8.self) == LogLoss.absence.word ? .absence : .sizeLimit
      }
    }
  }

  /// Returns the reason in the note of lost events, and removes the note.
  func takeLossNote() throws(AppGroupsLogError) -> LogLoss? {
    guard let loss = try lossNote else { return nil }
    unlinkat(place.base, path(Self.lossSuffix), 0)
    return loss
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
