import FileSignals
import Foundation

/// An event as it is stored in a segment: length, checksum, sequence, time, and then the payload.
///
/// The checksum covers all other fields, and each record has the sequence after the previous one's. So truncation and
/// damage are detected, and the records before them are intact.
struct LogRecord: Hashable, Sendable {
  static let headerSize = 24

  /// The maximum size of an event in bytes; a greater length is treated as damage.
  static let maximumPayload = 16 << 20

  let sequence: UInt64
  let time: UInt64
  let payload: Data
  /// The offset of the next record in the segment.
  let end: UInt64

  /// Returns the number of bytes that a payload occupies in a segment.
  static func size(of payload: Data) -> Int { headerSize + payload.count }

  /// Writes a record into a buffer, which must have room for it.
  static func write(
    _ payload: Data, sequence: UInt64, time: UInt64, salt: UInt32, to buffer: UnsafeMutableRawBufferPointer
  ) {
    payload.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[headerSize...]).copyMemory(from: $0) }
    complete(buffer, sequence: sequence, time: time, salt: salt)
  }

  /// Writes the fields before the payload, which is in the buffer already, up to its end.
  static func complete(_ buffer: UnsafeMutableRawBufferPointer, sequence: UInt64, time: UInt64, salt: UInt32) {
    buffer.storeBytes(of: UInt32(truncatingIfNeeded: buffer.count - headerSize).littleEndian, as: UInt32.self)
    buffer.storeBytes(of: sequence.littleEndian, toByteOffset: 8, as: UInt64.self)
    buffer.storeBytes(of: time.littleEndian, toByteOffset: 16, as: UInt64.self)
    let checksum = checksum(of: UnsafeRawBufferPointer(buffer), salt: salt)
    buffer.storeBytes(of: checksum.littleEndian, toByteOffset: 4, as: UInt32.self)
  }

  /// The kind of content that a range of bytes begins with.
  enum Finding {
    /// A complete record of `size` bytes.
    case record(sequence: UInt64, time: UInt64, size: Int)
    /// The beginning of a possible record of `size` bytes.
    case incomplete(size: Int)
    /// Bytes that are not a record and cannot become one.
    case damaged(reason: String)
  }

  /// Returns the kind of content that the bytes begin with.
  static func find(in bytes: UnsafeRawBufferPointer, expecting sequence: UInt64, salt: UInt32) -> Finding {
    guard bytes.count >= headerSize else { return .incomplete(size: headerSize) }
    let length = Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
    let found = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    guard length <= maximumPayload else { return .damaged(reason: "a record's \(length) bytes exceed the limit") }
    guard found == sequence else { return .damaged(reason: "expected record \(sequence), found record \(found)") }
    let size = headerSize + length
    guard bytes.count >= size else { return .incomplete(size: size) }
    let expected = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    guard checksum(of: UnsafeRawBufferPointer(rebasing: bytes[..<size]), salt: salt) == expected else {
      return .damaged(reason: "the checksum of record \(sequence) is wrong")
    }
    let time = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
    return .record(sequence: sequence, time: time, size: size)
  }

  /// Returns the checksum of the length and of all bytes after the checksum.
  private static func checksum(of record: UnsafeRawBufferPointer, salt: UInt32) -> UInt32 {
    let length = UInt32(littleEndian: record.loadUnaligned(as: UInt32.self))
    return Checksum.of(UnsafeRawBufferPointer(rebasing: record[8...]), goingOnFrom: salt) ^ turn(of: length)
  }

  /// Mixes the length for the checksum, so that a record of zeros does not have a checksum of zero.
  static func turn(of length: UInt32) -> UInt32 { length &* 0x9E37_79B1 &+ 0x5349_474C }
}
