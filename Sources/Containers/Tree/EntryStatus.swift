import CLibrary
import FileSignals

/// The relevant part of an entry's status.
struct EntryStatus: Sendable {
  let kind: FileStatus.Kind
  let permissions: UInt16
  let size: Int
  let device: UInt64
  let inode: UInt64
  let accessed: timespec
  let modified: timespec

  init(_ status: stat) {
    kind = FileStatus.Kind(mode: UInt32(status.st_mode))
    permissions = UInt16(status.st_mode & 0o7777)
    size = Int(status.st_size)
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
    #if canImport(Darwin)
      (accessed, modified) = (status.st_atimespec, status.st_mtimespec)
    #else
      (accessed, modified) = (status.st_atim, status.st_mtim)
    #endif
  }

  /// Returns a Boolean value that indicates whether this is the same file as the other one, with the same content.
  func isUnchanged(since other: EntryStatus) -> Bool {
    device == other.device && inode == other.inode && size == other.size && modified == other.modified
  }

  /// The status of an open file; `nil`, with `errno` set, if it is not available.
  init?(of file: borrowing Descriptor) {
    var status = stat()
    guard fstat(file.number, &status) == 0 else { return nil }
    self.init(status)
  }
}

func == (first: timespec, second: timespec) -> Bool {
  first.tv_sec == second.tv_sec && first.tv_nsec == second.tv_nsec
}
