import CLibrary
import FileSignals
import Foundation

/// The header of a segment, with its identity and the sequence of its first event.
struct SegmentHeader: Hashable, Sendable {
  static let size = 48

  /// The identifier of the format and its version; another version is another format.
  private static let magic: UInt64 = 0x32_30_47_4F_4C_47_49_53  // "SIGLOG02"
  /// The identifier of the first version, which is read but no longer written.
  ///
  /// Its records have no salt.
  private static let unsaltedMagic: UInt64 = 0x31_30_47_4F_4C_47_49_53  // "SIGLOG01"

  let id: SegmentID
  let firstSequence: UInt64
  let time: UInt64
  /// The header's checksum, with which the checksums of its records begin.
  ///
  /// So a record that was copied from another segment, or that is part of a payload, is not valid here.
  private(set) var salt: UInt32 = 0

  /// The header as it is stored in the file.
  var bytes: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.size)
    bytes.withUnsafeMutableBytes { buffer in
      buffer.storeBytes(of: Self.magic.littleEndian, as: UInt64.self)
      withUnsafeBytes(of: id.producer.uuid) { uuid in
        UnsafeMutableRawBufferPointer(rebasing: buffer[8..<24]).copyMemory(from: uuid)
      }
      buffer.storeBytes(of: id.index.littleEndian, toByteOffset: 24, as: UInt64.self)
      buffer.storeBytes(of: firstSequence.littleEndian, toByteOffset: 32, as: UInt64.self)
      // Whole seconds suffice to find the older of two segments.
      let seconds = UInt32(truncatingIfNeeded: time / 1_000_000_000)
      buffer.storeBytes(of: seconds.littleEndian, toByteOffset: 40, as: UInt32.self)
      buffer.storeBytes(
        of: Self.checksum(of: UnsafeRawBufferPointer(buffer)).littleEndian, toByteOffset: 44, as: UInt32.self)
    }
    return bytes
  }

  init(id: SegmentID, firstSequence: UInt64, time: UInt64) {
    self.id = id
    self.firstSequence = firstSequence
    self.time = time / 1_000_000_000 * 1_000_000_000
    salt = bytes.withUnsafeBytes { Self.checksum(of: $0) }
  }

  /// Reads the header of an open file, or returns `nil` if the file does not begin with one.
  init?(of file: CInt, at url: URL) throws(AppGroupsLogError) {
    var bytes = [UInt8](repeating: 0, count: Self.size)
    let count = uninterrupted { pread(file, &bytes, Self.size, 0) }
    guard count >= 0 else { throw .inaccessible(DurableFileError(errno, "read", url)) }
    guard count == Self.size, let header = bytes.withUnsafeBytes({ SegmentHeader($0) }) else { return nil }
    self = header
  }

  /// Decodes a header, or returns `nil` if the bytes are not a header.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.size else { return nil }
    let (magic, checksum) = (Self.load(bytes, 0), Self.checksum(of: bytes))
    guard magic == Self.magic || magic == Self.unsaltedMagic,
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 44, as: UInt32.self)) == checksum
    else { return nil }
    if magic == Self.magic { salt = checksum }
    id = SegmentID(
      producer: UUID(uuid: bytes.loadUnaligned(fromByteOffset: 8, as: uuid_t.self)),
      index: Self.load(bytes, 24)
    )
    firstSequence = Self.load(bytes, 32)
    guard firstSequence > 0, firstSequence < LogPosition.limit else { return nil }
    time = UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 40, as: UInt32.self))) * 1_000_000_000
  }

  private static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
    Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<44]))
  }

  private static func load(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}

/// The identity of one of the files that a producer appends to, one after another.
///
/// The file name consists of the producer's identifier and the segment's number, so that a listing needs to open no
/// file.
struct SegmentID: Hashable, Sendable {
  let producer: UUID
  /// The number of the segment, from 1.
  let index: UInt64

  private static let suffix = ".segment"

  init(producer: UUID, index: UInt64) {
    self.producer = producer
    self.index = index
  }

  /// Parses the name of a file, or returns `nil` if it does not name a segment.
  init?(fileName: String) {
    guard fileName.hasSuffix(Self.suffix) else { return nil }
    let parts = fileName.dropLast(Self.suffix.count).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let producer = UUID(uuidString: String(parts[0])), let index = UInt64(parts[1]), index > 0,
      index < LogPosition.limit,
      // Each segment has only one name; other spellings of the same numbers are rejected.
      fileName == SegmentID(producer: producer, index: index).fileName
    else { return nil }
    self.init(producer: producer, index: index)
  }

  var fileName: String {
    let digits = String(index)
    let zeros = String(repeating: "0", count: max(0, 8 - digits.count))
    return "\(producer.uuidString.lowercased()).\(zeros)\(digits)\(Self.suffix)"
  }

  /// The name of the file until it has its lock and its header.
  var temporaryName: String { fileName + ".new" }
}
