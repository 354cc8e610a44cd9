import FileSignals

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Notes for consumers that have not read a log yet, so that the log is kept for them.
///
/// A consumer leaves one when it subscribes, and a switch one for every consumer of the old contents. Without it, a
/// process that arrives first could handle and remove events before the others arrive.
extension ConsumerPlace {
  /// A Boolean value that indicates whether the log is kept for the consumer although it has not read it yet.
  var isExpected: Bool { expectedSince != nil }

  /// The time since which the consumer is expected, in seconds since 1970, or `nil` if it is not.
  var expectedSince: Int? {
    guard kind(Self.expectationSuffix) == .regular else { return nil }
    return FileStatus.modificationTime(ofPath: path(Self.expectationSuffix), in: place.base)
  }

  /// Keeps the log for the consumer from now on, although it has not read it yet.
  ///
  /// A process that may not write there cannot be a consumer, and leaves no note.
  ///
  /// - Parameter time: The time when the consumer was last seen, in seconds since 1970; by default now.
  func expect(since time: Int? = nil) {
    guard !exists, !isExpected else { return }
    let owner = FileStatus(path: place.consumersPath, relativeTo: place.base)
    let (path, url) = (path(Self.expectationSuffix), file(Self.expectationSuffix))
    guard let note = FileLock(path, in: place.base, .createdIfMissing, of: url, owner: owner), let time else { return }
    let times = [timespec(tv_sec: time, tv_nsec: 0), timespec(tv_sec: time, tv_nsec: 0)]
    futimens(note.number, times)
  }

  /// Removes the note that the consumer is expected, after its cursor was saved.
  func endExpectation() { unlinkat(place.base, path(Self.expectationSuffix), 0) }

  /// Expects all consumers of another place in this one, so that they find the events that precede their arrival.
  static func expectAll(of old: LogPlace, in new: LogPlace) throws(AppGroupsLogError) {
    for consumer in try all(in: old) {
      guard let time = consumer.lastSeen ?? consumer.expectedSince else { continue }
      try consumer.moved(to: new).expect(since: time)
    }
  }
}
