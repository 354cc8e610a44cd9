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
