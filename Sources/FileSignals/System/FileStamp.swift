#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What usually differs when a file has changed.
///
/// Not always: two changes within one tick of the file system's clock leave the same stamp.
package struct FileStamp: Equatable, Sendable {
  let identity: FileIdentity
  let size: Int
  /// When the content changed, in nanoseconds.
  package let modified: Int64
  /// When anything changed, in nanoseconds.
  let changed: Int64

  init(_ status: stat) {
    identity = FileStatus(status).identity
    size = Int(status.st_size)
    #if canImport(Darwin)
      (modified, changed) = (Self.nanoseconds(status.st_mtimespec), Self.nanoseconds(status.st_ctimespec))
    #else
      (modified, changed) = (Self.nanoseconds(status.st_mtim), Self.nanoseconds(status.st_ctim))
    #endif
  }

  /// Looks at a path, following symbolic links; `nil` with `errno` set if there is nothing.
  package init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Whether the content is the same as far as the stamps tell.
  func hasContent(of other: FileStamp) -> Bool {
    identity == other.identity && size == other.size && modified == other.modified
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
