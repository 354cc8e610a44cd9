import FileSignals
import Foundation
import Signals

/// The values of a file of MMKV, each as its stored bytes.
///
/// MMKV appends a record for each change to the file, and keeps the checksum of all records in a second one, `.crc`.
/// Both are mapped into the memory of the processes that use them. Nothing is locked or written here.
struct MMKVFile {
  /// The values that were neither removed nor have expired.
  let values: [ExactString: ArraySlice<UInt8>]

  /// Reads a file, and again for a short time while its content does not match its checksum.
  ///
  /// A process that uses MMKV may write between the two reads, so only lasting damage is an error. The checksum is read
  /// first: records that are appended afterwards do not affect it.
  init(reading url: URL, limit: Int) throws(MMKVFileError) {
    let header = URL(filePath: url.path + ".crc", directoryHint: .notDirectory)
    var damage = MMKVFileError.damaged(url, reason: "its content has changed all the time")
    let file = try Backoff.constant(.milliseconds(1)).repeating(within: .milliseconds(20)) {
      () throws(MMKVFileError) -> MMKVFile? in
      do throws(MMKVFileError) {
        return try MMKVFile(
          header: Self.content(of: header, limit: limit), records: Self.content(of: url, limit: limit), of: url)
      } catch {
        guard case .damaged = error else { throw error }
        damage = error
        return nil
      }
    }
    guard let file else { throw damage }
    self = file
  }

  /// Returns the content of a file, or `nil` if there is none.
  private static func content(of url: URL, limit: Int) throws(MMKVFileError) -> Data? {
    do {
      return try DurableFile.readIfPresent(url, limit: limit)
    } catch {
      throw .inaccessible(error)
    }
  }

  init(header: Data?, records: Data?, of url: URL) throws(MMKVFileError) {
    guard let records else { throw .inaccessible(.notFound(url)) }
    guard let header else { throw .damaged(url, reason: "the file \(url.lastPathComponent).crc is not beside it") }
    guard let header = MMKVHeader(header), records.count >= 4 else {
      throw .damaged(url, reason: "it or its file .crc is cut off")
    }
    guard header.version <= MMKVHeader.newestVersion else {
      throw .damaged(url, reason: "its file .crc has the unknown version \(header.version)")
    }
    guard let records = header.checked(records) else {
      throw .damaged(url, reason: "its content does not match the checksum in its file .crc")
    }
    // The bytes are those that MMKV wrote, so that they make no sense means that they are encrypted.
    guard let values = Self.values(of: records, header) else { throw .encrypted(url) }
    self.values = values
  }

  /// Returns the last value of each key, or `nil` if the bytes are not records.
  private static func values(
    of records: ArraySlice<UInt8>, _ header: MMKVHeader
  ) -> [ExactString: ArraySlice<UInt8>]? {
    var values: [ExactString: ArraySlice<UInt8>] = [:]
    guard !records.isEmpty else { return values }
    var reader = MMKVReader(records)
    // A placeholder for the size of all records. It has four bytes since there are vectors.
    var start = MMKVReader(records.prefix(4))
    guard reader.integer() != nil, !header.mayBeEncrypted || start.integer() != nil && start.isAtEnd else { return nil }
    while !reader.isAtEnd {
      guard let name = reader.bytes(), !name.isEmpty, let value = reader.bytes() else { return nil }
      guard let name = String(validating: name, as: UTF8.self) else {
        // A program in another language may have such keys, but no one can name them here.
        if header.mayBeEncrypted { return nil }
        continue
      }
      values[ExactString(name)] = value.isEmpty ? nil : value
    }
    return header.expires ? values.compactMapValues(current) : values
  }

  /// Returns a value without the second of its expiry behind it, or `nil` if that has passed.
  private static func current(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard value.count >= 4 else { return value }
    var reader = MMKVReader(value.suffix(4))
    let end = reader.number(of: 4) ?? 0
    return end == 0 || Double(end) > Date().timeIntervalSince1970 ? value.dropLast(4) : nil
  }
}

/// The checksum of a file of MMKV, and how to read it.
private struct MMKVHeader {
  /// The newest version that MMKV 2.4 reads.
  static let newestVersion: UInt64 = 6

  let version: UInt64
  let mayBeEncrypted: Bool
  let expires: Bool
  private let checksum: UInt64
  private let size: UInt64

  init?(_ content: Data) {
    var reader = MMKVReader(ArraySlice(content))
    guard let checksum = reader.number(of: 4), let version = reader.number(of: 4), reader.number(of: 4) != nil,
      let vector = reader.bytes(16), let size = reader.number(of: 4), reader.bytes(72) != nil,
      let flags = reader.number(of: 8)
    else { return nil }
    self.checksum = checksum
    self.version = version
    self.size = size
    // The vector stays when the encryption is removed.
    mayBeEncrypted = vector.contains { $0 != 0 }
    expires = version >= 4 && flags & 1 == 1
  }

  /// Returns the records of a file, or `nil` if they do not match the checksum.
  func checked(_ content: Data) -> ArraySlice<UInt8>? {
    let content = [UInt8](content)
    var reader = MMKVReader(content[...])
    // Versions before 3 keep the size here only. They may also have been the last ones to write.
    let oldSize = reader.number(of: 4) ?? 0
    if version == 0, oldSize == 0, content.contains(where: { $0 != 0 }) { return nil }
    var sizes = version < 3 ? [oldSize] : [size]
    if version >= 3, oldSize > 0 { sizes.append(oldSize) }
    for size in sizes where size <= content.count - 4 {
      let records = content[4..<4 + Int(size)]
      if records.withUnsafeBytes({ UInt64(Checksum.of($0)) }) == checksum { return records }
    }
    return nil
  }
}

/// A cursor over bytes that MMKV may have written, in the encoding of Protocol Buffers.
///
/// Each method returns `nil` if the bytes are not what it reads.
struct MMKVReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  var isAtEnd: Bool { rest.isEmpty }

  /// Reads some bytes.
  mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
    guard count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// Reads a number of a fixed size.
  mutating func number(of size: Int) -> UInt64? {
    bytes(size)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads a number of seven bits in each byte, the lowest first.
  mutating func integer() -> UInt64? {
    var result: UInt64 = 0
    for shift in stride(from: 0, to: 70, by: 7) {
      guard let byte = rest.popFirst() else { return nil }
      result |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return result }
    }
    return nil
  }

  /// Reads bytes behind their number.
  mutating func bytes() -> ArraySlice<UInt8>? {
    guard let count = integer(), count <= rest.count else { return nil }
    return bytes(Int(count))
  }

  // MARK: Values

  /// The reason why a value cannot be adopted.
  struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  /// Returns a stored value as a type, if it takes all of its bytes.
  static func value(
    _ bytes: ArraySlice<UInt8>, as type: any (Codable & Sendable).Type
  ) throws(Refusal) -> any Encodable {
    var reader = MMKVReader(bytes)
    guard let value = try reader.value(as: type), reader.isAtEnd else {
      throw Refusal(description: "MMKV stored it in \(bytes.count) bytes, which are not a value of type \(type)")
    }
    return value
  }

  private mutating func value(as type: any (Codable & Sendable).Type) throws(Refusal) -> (any Encodable)? {
    switch type {
    case is Bool.Type: return integer().flatMap { $0 < 2 ? $0 == 1 : nil }
    case is String.Type: return string()
    case is Data.Type: return bytes().map { Data($0) }
    case is Float.Type: return number(of: 4).map { Float(bitPattern: UInt32($0)) }
    case is Double.Type: return double()
    case is Date.Type: return double().map { Date(timeIntervalSince1970: $0) }
    case is [String].Type: return strings()
    case let type as any (FixedWidthInteger & Encodable).Type: return integer(as: type)
    default:
      throw Refusal(
        description: "MMKV stores no values of type \(type); name the type that was passed to set, or read it with MMKV"
      )
    }
  }

  private mutating func integer<Value: FixedWidthInteger>(as type: Value.Type) -> Value? {
    // MMKV extends negative numbers of any size to 64 bits.
    integer().flatMap { Value.isSigned ? Value(exactly: Int64(bitPattern: $0)) : Value(exactly: $0) }
  }

  private mutating func double() -> Double? {
    number(of: 8).map { Double(bitPattern: $0) }
  }

  private mutating func string() -> String? {
    bytes().flatMap { String(validating: $0, as: UTF8.self) }
  }

  private mutating func strings() -> [String]? {
    guard let list = bytes() else { return nil }
    var reader = MMKVReader(list)
    var strings: [String] = []
    while !reader.isAtEnd {
      guard let string = reader.string() else { return nil }
      strings.append(string)
    }
    return strings
  }
}
