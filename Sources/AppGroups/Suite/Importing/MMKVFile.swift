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
      return try DurableFile.read(url, limit: limit)
    } catch .notFound {
      return nil
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
