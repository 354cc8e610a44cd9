import CLibrary
import Foundation

/// The properties of a file that usually change when the file changes.
///
/// They do not always: two changes within one tick of the file system's clock have the same stamp. They do if the clock
/// is fine, see ``isFine(since:)``.
package struct FileStamp: Equatable, Sendable {
  let identity: FileIdentity
  let size: Int
  /// The time of the last change of the content, in nanoseconds.
  package let modified: Int64
  /// The time of the last change of the content or the attributes, in nanoseconds.
  package let changed: Int64

  init(_ status: FileStatus) {
    (identity, size) = (status.identity, status.size)
    (modified, changed) = (Self.nanoseconds(status.modified), Self.nanoseconds(status.changed))
  }

  /// Reads the stamp of the file at a path, following symbolic links; `nil` if there is no file.
  ///
  /// - Throws: ``DurableFileError`` if it is unknown whether there is a file.
  package init?(path: String) throws(DurableFileError) {
    guard let status = try FileStatus(path: path) else { return nil }
    self.init(status)
  }

  /// Returns the stamp of the file at a path, or `nil` if there is no file or its stamp cannot be read.
  ///
  /// Use it only where both have the same consequence.
  package static func ifReadable(path: String) -> FileStamp? { FileStatus.ifReadable(path: path)?.stamp }

  /// Returns a Boolean value that indicates whether the content is the same, as far as the stamps can show.
  package func hasContent(of other: FileStamp) -> Bool {
    identity == other.identity && size == other.size && modified == other.modified
  }

  /// Finds out whether the file system's clock is so fine that every later change of the file changes its stamp.
  ///
  /// Clocks of file systems are the ticks of the system, which last a millisecond or more, or as fine as its counters
  /// (on Linux since 6.13: for each change after the times have been read). Two times that differ, but by less than half
  /// a millisecond, cannot be ticks.
  ///
  /// - Parameter earlier: The stamp of the same file before its last change.
  /// - Returns: `false` if that is unknown.
  func isFine(since earlier: FileStamp) -> Bool {
    (1..<500_000).contains(changed - earlier.changed)
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
