import Foundation

/// The content of a file of MMKV and of its file `.crc`, made here byte by byte from the format.
struct MMKVContent {
  /// The records, behind a placeholder for their size.
  var records: [UInt8] = [0x80, 0x80, 0x80, 0x01]
  var version: UInt32 = 4
  var vector = [UInt8](repeating: 0, count: 16)
  var flags: UInt64 = 0

  /// The size at the beginning of the file, which newer versions leave as it is.
  var oldSize: UInt32 = 0

  /// The number of bytes that the file has room for.
  var capacity = 4096

  /// Appends a record; one without a value removes the key.
  mutating func set(_ key: String, _ value: [UInt8]) {
    records += Self.block(Array(key.utf8)) + Self.block(value)
  }

  /// Appends a record of a value that ends at a second since 1970, or never if it is 0.
  mutating func set(_ key: String, _ value: [UInt8], until second: UInt32) {
    flags = 1
    set(key, value + Self.bytes(second))
  }

  var file: Data {
    let used = Self.bytes(oldSize) + records
    return Data(used + [UInt8](repeating: 0, count: max(0, capacity - used.count)))
  }

  var header: Data {
    let size = version < 3 ? 0 : UInt32(records.count)
    let lastConfirmed = [UInt8](repeating: 0, count: 72)
    let header =
      Self.bytes(Self.checksum(of: records)) + Self.bytes(version) + Self.bytes(UInt32(9)) + vector + Self.bytes(size)
      + lastConfirmed + Self.bytes(flags)
    return Data(header + [UInt8](repeating: 0, count: 4096 - header.count))
  }

  /// Writes both files in place, as a program does that has mapped them.
  func write(to url: URL) throws {
    try file.write(to: url)
    try header.write(to: URL(filePath: url.path + ".crc"))
  }

  // MARK: Values

  static func integer(_ value: Int) -> [UInt8] {
    var (rest, bytes) = (UInt64(bitPattern: Int64(value)), [UInt8]())
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  static func block(_ bytes: [UInt8]) -> [UInt8] { integer(bytes.count) + bytes }

  static func string(_ text: String) -> [UInt8] { block(Array(text.utf8)) }

  /// The checksum of zlib, one bit at a time.
  static func checksum(of bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { value, byte in
      (0..<8).reduce(value ^ UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
  }
}
