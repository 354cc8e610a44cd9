/// The byte layout of an archive.
///
/// Numbers are little-endian.
enum ArchiveFormat {
  /// The first bytes of an archive.
  ///
  /// They are not text, and a transfer that damages the rest damages them too.
  static let mark: [UInt8] = [0x89] + Array("CNTNR".utf8) + [0x0D, 0x0A]

  /// The newest version that is read, and the one that is written.
  static let version = 1

  /// The most that one record may hold, so that a damaged length cannot ask for all memory.
  static let longestPayload = 1 << 20

  /// The number of bytes of a file in one record.
  static let piece = 1 << 18

  /// The largest length of a path, and the largest number of directories in it, which are open at the same time.
  static let (longestPath, deepest) = (4096, 128)

  enum Kind: UInt8 {
    case manifest = 1
    case directory, file, link, bytes, end
  }
}

/// Numbers as they lie in an archive.
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
