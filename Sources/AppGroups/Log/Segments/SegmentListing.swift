import CLibrary
import FileSignals
import Foundation

/// Lists the segments of a log.
enum SegmentListing {
  /// Returns the numbers of each producer's segments, in order; empty if the directory is missing.
  static func segments(in place: LogPlace) throws(AppGroupsLogError) -> [UUID: [UInt64]] {
    var segments: [UUID: [UInt64]] = [:]
    for name in try names(at: place.path, in: place.base, of: place.url) {
      if let id = SegmentID(fileName: name) { segments[id.producer, default: []].append(id.index) }
    }
    return segments.mapValues { $0.sorted() }
  }

  /// Returns the numbers of each producer's segments, and overlooks no segment that is older than a listed one.
  ///
  /// - Parameters:
  ///   - place: The log.
  ///   - starts: The segment that is being read of each producer, after which the next one is expected.
  /// - Returns: The numbers of each producer's segments, in order.
  /// - Throws: ``AppGroupsLogError`` if the directory cannot be listed.
  static func completeSegments(
    in place: LogPlace, after starts: [UUID: UInt64]
  ) throws(AppGroupsLogError) -> [UUID: [UInt64]] {
    try withoutPassingGaps(after: starts) { () throws(AppGroupsLogError) in try segments(in: place) }
  }

  /// Repeats a listing until it has no gap, or the same gaps as the previous one.
  ///
  /// If a directory changes during a listing, the listing may contain a newer file without an older one. A second
  /// listing contains every file that existed before it began. So a gap that remains is a real one.
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

  /// Returns the segments before which others are missing.
  ///
  /// A producer's first segment has the number 1.
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

  /// Returns the names of the files in a directory; empty if the directory is missing.
  static func names(at path: String, in base: CInt, of url: URL) throws(AppGroupsLogError) -> [String] {
    try AppGroupsLogError.examining { () throws(DurableFileError) in
      try DirectoryListing.names(at: path, in: base, of: url) ?? []
    }
  }
}
