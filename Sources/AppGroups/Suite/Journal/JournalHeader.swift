import FileSignals
import Foundation

/// The first bytes of a journal: its identity, and the content of the file that its records continue.
///
/// A journal counts only beside a file with this content. So a file that another program has replaced, or that was
/// restored from a backup, wins over a journal that was begun before.
struct JournalHeader: Hashable, Sendable {
  static let size = 48

  /// The identifier of the format and its version; another version is another format.
  private static let magic: UInt64 = 0x31_30_4E_52_4A_47_49_53  // "SIGJRN01"

  let identity: UUID
  /// The size and the checksum of the file.
  let baseSize: UInt64
  let baseChecksum: UInt32

  /// The header's checksum, with which the checksums of its records begin, as in a segment of a log.
  private(set) var salt: UInt32 = 0

  /// Creates the header of a new journal that continues the content of a file.
  init(continuing content: Data) {
    identity = UUID.random()
    baseSize = UInt64(content.count)
    baseChecksum = content.withUnsafeBytes { Checksum.of($0) }
    salt = bytes.withUnsafeBytes { Self.checksum(of: $0) }
  }

  /// Decodes a header, or returns `nil` if the bytes are not a header.
  init?(_ bytes: Data) {
    guard bytes.count >= Self.size else { return nil }
    let header = bytes.withUnsafeBytes { bytes -> (UUID, UInt64, UInt32, UInt32)? in
      let checksum = Self.checksum(of: bytes)
      guard UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)) == Self.magic,
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 44, as: UInt32.self)) == checksum
      else { return nil }
      let identity = UUID(uuid: bytes.loadUnaligned(fromByteOffset: 8, as: uuid_t.self))
      let size = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
      return (identity, size, UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 32, as: UInt32.self)), checksum)
    }
    guard let header else { return nil }
    (identity, baseSize, baseChecksum, salt) = header
  }

  /// The header as it is stored.
  var bytes: Data {
    var bytes = Data(count: Self.size)
    bytes.withUnsafeMutableBytes { buffer in
      buffer.storeBytes(of: Self.magic.littleEndian, as: UInt64.self)
      withUnsafeBytes(of: identity.uuid) {
        UnsafeMutableRawBufferPointer(rebasing: buffer[8..<24]).copyMemory(from: $0)
      }
      buffer.storeBytes(of: baseSize.littleEndian, toByteOffset: 24, as: UInt64.self)
      buffer.storeBytes(of: baseChecksum.littleEndian, toByteOffset: 32, as: UInt32.self)
      let checksum = Self.checksum(of: UnsafeRawBufferPointer(buffer))
      buffer.storeBytes(of: checksum.littleEndian, toByteOffset: 44, as: UInt32.self)
    }
    return bytes
  }

  /// Returns whether the journal's records continue the content of a file.
  func continues(_ content: Data) -> Bool {
    UInt64(content.count) == baseSize && content.withUnsafeBytes { Checksum.of($0) } == baseChecksum
  }

  private static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
    Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<44]))
  }
}
