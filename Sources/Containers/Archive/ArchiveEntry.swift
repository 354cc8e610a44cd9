import CLibrary
import FileSignals

/// The description of a directory, file or link, without its content.
struct ArchiveEntry: Equatable {
  var kind: ArchiveFormat.Kind
  var path: EntryPath
  var permissions: UInt16
  var seconds: Int64
  var nanoseconds: UInt32
  /// The size of a file in bytes.
  var size: UInt64 = 0
  /// The destination of a link.
  var target: [UInt8] = []

  /// The payload of its record.
  var payload: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendNumber(permissions)
    bytes.appendNumber(UInt64(bitPattern: seconds))
    bytes.appendNumber(nanoseconds)
    bytes.appendNumber(size)
    bytes.appendNumber(UInt32(path.bytes.count))
    return bytes + path.bytes + target
  }

  init(_ kind: ArchiveFormat.Kind, _ path: EntryPath, _ status: FileStatus) {
    self.kind = kind
    self.path = path
    permissions = status.permissions
    seconds = Int64(status.modified.tv_sec)
    nanoseconds = UInt32(status.modified.tv_nsec)
  }

  /// Decodes the payload of a record, or returns `nil` if it is not an entry.
  init?(_ kind: ArchiveFormat.Kind, payload: [UInt8]) {
    var rest = payload[...]
    guard let permissions = rest.popNumber(UInt16.self), let seconds = rest.popNumber(UInt64.self),
      let nanoseconds = rest.popNumber(UInt32.self), let size = rest.popNumber(UInt64.self),
      let length = rest.popNumber(UInt32.self), length <= rest.count,
      permissions & ~0o777 == 0, nanoseconds < 1_000_000_000, size <= UInt64(Int.max), kind == .file || size == 0
    else { return nil }
    self.kind = kind
    self.permissions = permissions
    self.seconds = Int64(bitPattern: seconds)
    self.nanoseconds = nanoseconds
    self.size = size
    path = EntryPath(bytes: Array(rest.prefix(Int(length))))
    target = Array(rest.dropFirst(Int(length)))
    guard target.isEmpty == (kind != .link) else { return nil }
  }

  /// The modification time in the form that system calls expect.
  var time: timespec { timespec(tv_sec: .init(seconds), tv_nsec: .init(nanoseconds)) }
}
