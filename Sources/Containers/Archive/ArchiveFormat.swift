import CLibrary
import FileSignals

/// The byte layout of an archive.
///
/// Numbers are little-endian.
enum ArchiveFormat {
  /// The first bytes of an archive.
  ///
  /// They are not text, so a transfer that converts text damages them, too, and the archive is recognized as damaged.
  static let mark: [UInt8] = [0x89] + Array("CNTNR".utf8) + [0x0D, 0x0A]

  /// The newest version that can be read, which is also the version that is written.
  static let version = 1

  /// The maximum size of a record, so that a damaged length cannot exhaust memory.
  static let longestPayload = 1 << 20

  /// The number of bytes of a file in one record.
  static let piece = 1 << 18

  /// The maximum length of a path, and the maximum number of directories in it, all of which are open at the same time.
  static let (longestPath, deepest) = (4096, 128)

  enum Kind: UInt8 {
    case manifest = 1
    case directory, file, link, bytes, end
  }
}

/// The encoding of numbers in an archive.
extension [UInt8] {
  mutating func appendNumber(_ number: some FixedWidthInteger & UnsignedInteger) {
    for byte in 0..<(number.bitWidth / 8) { append(UInt8(truncatingIfNeeded: number >> (8 * byte))) }
  }
}

extension ArraySlice<UInt8> {
  mutating func popNumber<Number: FixedWidthInteger & UnsignedInteger>(_ type: Number.Type) -> Number? {
    let width = Number.bitWidth / 8
    guard count >= width else { return nil }
    let number = prefix(width).reversed().reduce(Number(0)) { $0 << 8 | Number($1) }
    removeFirst(width)
    return number
  }
}

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
