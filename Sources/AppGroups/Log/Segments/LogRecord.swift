import Foundation

/// One event as it lies in a segment: length, checksum, sequence, time, and then the payload.
///
/// The checksum covers all the rest, and each record has the sequence after that of the one before, so whatever is cut
/// off or damaged shows, and what comes before it is whole.
struct LogRecord: Hashable, Sendable {
  static let headerSize = 24

  /// How many bytes one event may have; a length beyond it is no length, but damage.
  static let maximumPayload = 16 << 20

  let sequence: UInt64
  let time: UInt64
  let payload: Data
  /// Where in the segment the next record begins.
  let end: UInt64

  /// How many bytes a payload takes in a segment.
  static func size(of payload: Data) -> Int { headerSize + payload.count }

  /// Puts a record into a buffer, which must have room for it.
  static func write(
    _ payload: Data, sequence: UInt64, time: UInt64, salt: UInt32, to buffer: UnsafeMutableRawBufferPointer
  ) {
    buffer.storeBytes(of: UInt32(truncatingIfNeeded: payload.count).littleEndian, as: UInt32.self)
    buffer.storeBytes(of: sequence.littleEndian, toByteOffset: 8, as: UInt64.self)
    buffer.storeBytes(of: time.littleEndian, toByteOffset: 16, as: UInt64.self)
    payload.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[headerSize...]).copyMemory(from: $0) }
    let checksum = checksum(of: UnsafeRawBufferPointer(buffer), salt: salt)
    buffer.storeBytes(of: checksum.littleEndian, toByteOffset: 4, as: UInt32.self)
  }

  /// What some bytes of a segment begin with.
  enum Finding {
    /// A whole record, which takes so many bytes.
    case record(sequence: UInt64, time: UInt64, size: Int)
    /// The beginning of what may be a record of so many bytes.
    case incomplete(size: Int)
    /// No record, and nothing that could become one.
    case damaged(reason: String)
  }

  /// Looks at what comes next in a segment.
  static func find(in bytes: UnsafeRawBufferPointer, expecting sequence: UInt64, salt: UInt32) -> Finding {
    guard bytes.count >= headerSize else { return .incomplete(size: headerSize) }
    let length = Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
    let found = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    guard length <= maximumPayload else { return .damaged(reason: "a record of \(length) bytes is longer than any") }
    guard found == sequence else { return .damaged(reason: "record \(sequence) should follow, not \(found)") }
    let size = headerSize + length
    guard bytes.count >= size else { return .incomplete(size: size) }
    let expected = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    guard checksum(of: UnsafeRawBufferPointer(rebasing: bytes[..<size]), salt: salt) == expected else {
      return .damaged(reason: "the checksum of record \(sequence) is wrong")
    }
    let time = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
    return .record(sequence: sequence, time: time, size: size)
  }

  /// The checksum of the length and of all that follows the checksum itself.
  private static func checksum(of record: UnsafeRawBufferPointer, salt: UInt32) -> UInt32 {
    let length = UInt32(littleEndian: record.loadUnaligned(as: UInt32.self))
    return Checksum.of(UnsafeRawBufferPointer(rebasing: record[8...]), goingOnFrom: salt) ^ turn(of: length)
  }

  /// How the length goes into the checksum: with a turn, so that a record of zeros has no checksum of zero.
  static func turn(of length: UInt32) -> UInt32 { length &* 0x9E37_79B1 &+ 0x5349_474C }
}
