import FileSignals
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Which segments there are.
enum SegmentListing {
  /// The numbers of each producer's segments, in order; empty if the directory is gone.
  static func segments(in place: LogPlace) throws(AppGroupsLogError) -> [UUID: [UInt64]] {
    var segments: [UUID: [UInt64]] = [:]
    for name in try names(at: place.path, in: place.base, of: place.url) {
      if let id = SegmentID(fileName: name) { segments[id.producer, default: []].append(id.index) }
    }
    return segments.mapValues { $0.sorted() }
  }

  /// The same, without a segment missing that is older than one that is there.
  ///
  /// - Parameters:
  ///   - place: The log.
  ///   - starts: The segment that each producer is read in, after which the next one is expected.
  /// - Returns: The numbers of each producer's segments, in order.
  /// - Throws: ``AppGroupsLogError`` if the directory cannot be listed.
  static func completeSegments(
    in place: LogPlace, after starts: [UUID: UInt64]
  ) throws(AppGroupsLogError) -> [UUID: [UInt64]] {
    try withoutPassingGaps(after: starts) { () throws(AppGroupsLogError) in try segments(in: place) }
  }

  /// Lists until a listing has no gap, or those that the one before it had.
  ///
  /// A directory that changes while it is listed may show what came later without what came earlier. Whoever sees a gap
  /// looks again: what was there before that look is in it. A gap that stays is one.
  static func withoutPassingGaps(
    after starts: [UUID: UInt64], listing: () throws(AppGroupsLogError) -> [UUID: [UInt64]]
  ) throws(AppGroupsLogError) -> [UUID: [UInt64]] {
    var last = try listing()
    while true {
      let known = gaps(in: last, after: starts)
      if known.isEmpty { return last }
      let next = try listing()
      if gaps(in: next, after: starts) == known { return next }
      last = next
    }
  }

  /// The segments before which others are missing.
  ///
  /// The first one of a producer has the number 1.
  private static func gaps(in segments: [UUID: [UInt64]], after starts: [UUID: UInt64]) -> Set<SegmentID> {
    var gaps: Set<SegmentID> = []
    for (producer, numbers) in segments {
      var last = starts[producer] ?? 0
      for number in numbers where number > last {
        if number > last + 1 { gaps.insert(SegmentID(producer: producer, index: number)) }
        last = number
      }
    }
    return gaps
  }

  /// The names of what lies in a directory; empty if it is gone.
  static func names(at path: String, in base: CInt, of url: URL) throws(AppGroupsLogError) -> [String] {
    if let names = DirectoryListing.names(at: path, in: base) { return names }
    guard errno == ENOENT || errno == ENOTDIR else {
      throw .inaccessible(DurableFileError(errno, "list", url))
    }
    return []
  }
}
