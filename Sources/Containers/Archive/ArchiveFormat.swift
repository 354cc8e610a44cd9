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

  /// How long a path may be, and through how many directories it may lead, which are open at the same time.
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
