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
    for name in try names(in: place.url) {
      if let id = SegmentID(fileName: name) { segments[id.producer, default: []].append(id.index) }
    }
    return segments.mapValues { $0.sorted() }
  }

  /// The names of what lies in a directory; empty if it is gone.
  static func names(in directory: URL) throws(AppGroupsLogError) -> [String] {
    if let names = DirectoryListing.names(in: directory) { return names }
    guard errno == ENOENT || errno == ENOTDIR else {
      throw .inaccessible(DurableFileError(errno, "list", directory))
    }
    return []
  }
}
