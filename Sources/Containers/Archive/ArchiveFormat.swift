import AppGroups
import Foundation

/// How bytes are laid out in an archive, in which numbers are little-endian.
enum ArchiveFormat {
  /// What an archive begins with: no text, and damaged by whatever would damage the rest on its way.
  static let mark: [UInt8] = [0x89] + Array("CNTNR".utf8) + [0x0D, 0x0A]

  /// The newest version that is read, and the one that is written.
  static let version = 1

  /// The most that one record may hold, so that a damaged length cannot ask for all memory.
  static let longestPayload = 1 << 20

  /// How much of a file one record holds.
  static let piece = 1 << 18

  enum Kind: UInt8 {
    case manifest = 1
    case directory, file, link, bytes, end
  }
}

/// What a directory, file or link is, but for the content.
struct ArchiveEntry: Equatable {
  var kind: ArchiveFormat.Kind
  var path: EntryPath
  var permissions: UInt16
  var seconds: Int64
  var nanoseconds: UInt32
  /// How many bytes a file has.
  var size: UInt64 = 0
  /// Where a link leads.
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

  init(_ kind: ArchiveFormat.Kind, _ path: EntryPath, _ status: EntryStatus) {
    self.kind = kind
    self.path = path
    permissions = status.permissions & 0o777
    seconds = Int64(status.modified.tv_sec)
    nanoseconds = UInt32(status.modified.tv_nsec)
  }

  /// Takes the payload of a record apart; `nil` if it is none of an entry.
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

  /// The time of modification, as the system takes it.
  var time: timespec { timespec(tv_sec: .init(seconds), tv_nsec: .init(nanoseconds)) }
}

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

/// Coding that can only fail for what is not ours.
enum JSONCoding {
  static func encode(_ value: some Encodable, for url: URL) throws(AppContainerError) -> [UInt8] {
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      return [UInt8](try encoder.encode(value))
    } catch {
      throw .unusableArchive(url, reason: "its description cannot be written: \(error)")
    }
  }
}
