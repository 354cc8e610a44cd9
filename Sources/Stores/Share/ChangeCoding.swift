import FileSignals
import Foundation

/// The compact encoding of changes in the history: a version, each table with its keys, and who made them.
///
/// Different versions of a program share a database, so every encoding must stay readable. A change of the format needs
/// a new version. Earlier versions of the program ignore what follows the tables.
enum ChangeCoding {
  /// The reason why an entry of the history cannot be read.
  struct Unreadable: Error, CustomStringConvertible {
    let description: String
  }

  private static let version: UInt8 = 1

  // MARK: Writing

  static func encode(_ tables: [String: TableChanges], _ provenance: Provenance? = nil) -> Data {
    var data = Data([version])
    append(tables.count, to: &data)
    for (name, changes) in tables {
      append(Array(name.utf8), to: &data)
      data.append(changes.isEverything ? 1 : 0)
      for keys in [changes.inserted, changes.updated, changes.deleted] {
        append(keys.count, to: &data)
        for key in keys { append(key, to: &data) }
      }
    }
    if let provenance { append(provenance, to: &data) }
    return data
  }

  private static func append(_ provenance: Provenance, to data: inout Data) {
    data.append(1)
    append(Int(provenance.processIdentifier), to: &data)
    append(Array(provenance.processName.utf8), to: &data)
    for date in [provenance.processStart, provenance.date] {
      append((date?.timeIntervalSince1970 ?? .nan).bitPattern, to: &data)
    }
    append(Array((provenance.cause ?? "").utf8), to: &data)
  }

  private static func append(_ value: SQLiteValue, to data: inout Data) {
    switch value {
    case .null:
      data.append(0)
    case .integer(let number):
      data.append(1)
      append(UInt64(bitPattern: number << 1 ^ number >> 63), to: &data)
    case .real(let number):
      data.append(2)
      append(number.bitPattern, to: &data)
    case .text(let text):
      data.append(3)
      append(Array(text.utf8), to: &data)
    case .blob(let bytes):
      data.append(4)
      append(Array(bytes), to: &data)
    }
  }

  private static func append(_ bytes: [UInt8], to data: inout Data) {
    append(bytes.count, to: &data)
    data.append(contentsOf: bytes)
  }

  private static func append(_ count: Int, to data: inout Data) {
    append(UInt64(count), to: &data)
  }

  /// Appends a number with seven bits in each byte, lowest first.
  ///
  /// The highest bit indicates that more bytes follow.
  private static func append(_ number: UInt64, to data: inout Data) {
    var rest = number
    while rest > 0x7F {
      data.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    data.append(UInt8(rest))
  }

  // MARK: Reading

  static func decode(_ data: Data) throws(Unreadable) -> (tables: [String: TableChanges], provenance: Provenance?) {
    var reader = Reader(bytes: Array(data))
    let found = try reader.byte()
    guard found == version else {
      throw Unreadable(description: "it has version \(found), which this program does not support")
    }
    var tables: [String: TableChanges] = [:]
    for _ in 0..<(try reader.count()) {
      let name = try reader.text()
      let isEverything = try reader.byte() != 0
      tables[name] = TableChanges(
        inserted: try reader.keys(), updated: try reader.keys(), deleted: try reader.keys(), isEverything: isEverything)
    }
    // Without it, the changes are as good.
    return (tables, tolerating(try reader.provenance(), else: nil))
  }

  private struct Reader {
    let bytes: [UInt8]
    var position = 0

    mutating func byte() throws(Unreadable) -> UInt8 {
      guard position < bytes.count else { throw Unreadable(description: "it is truncated") }
      defer { position += 1 }
      return bytes[position]
    }

    mutating func number() throws(Unreadable) -> UInt64 {
      var number: UInt64 = 0
      for shift in stride(from: UInt64(0), to: 64, by: 7) {
        let byte = try byte()
        number |= UInt64(byte & 0x7F) << shift
        if byte & 0x80 == 0 { return number }
      }
      throw Unreadable(description: "a number in it is not terminated")
    }

    /// Reads the count of the elements that follow, each of which needs at least one byte.
    mutating func count() throws(Unreadable) -> Int {
      let number = try number()
      guard number <= UInt64(bytes.count - position) else { throw Unreadable(description: "it is truncated") }
      return Int(number)
    }

    mutating func run() throws(Unreadable) -> ArraySlice<UInt8> {
      let count = try count()
      defer { position += count }
      return bytes[position..<(position + count)]
    }

    mutating func text() throws(Unreadable) -> String {
      String(decoding: try run(), as: UTF8.self)
    }

    mutating func keys() throws(Unreadable) -> Set<SQLiteValue> {
      var keys: Set<SQLiteValue> = []
      for _ in 0..<(try count()) { keys.insert(try key()) }
      return keys
    }

    /// Reads who made the changes, unless the entry ends here.
    mutating func provenance() throws(Unreadable) -> Provenance? {
      guard position < bytes.count, try byte() == 1 else { return nil }
      let process = Int32(truncatingIfNeeded: try number())
      let name = try text()
      let (start, date) = (try self.date(), try self.date())
      let cause = try text()
      guard let date else { return nil }
      return Provenance(
        processIdentifier: process, processName: name, processStart: start, cause: cause.isEmpty ? nil : cause,
        date: date)
    }

    private mutating func date() throws(Unreadable) -> Date? {
      let seconds = Double(bitPattern: try number())
      return seconds.isFinite ? Date(timeIntervalSince1970: seconds) : nil
    }

    private mutating func key() throws(Unreadable) -> SQLiteValue {
      switch try byte() {
      case 0: return .null
      case 1:
        let number = try number()
        return .integer(Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1))
      case 2: return .real(Double(bitPattern: try number()))
      case 3: return .text(try text())
      case 4: return .blob(Data(try run()))
      case let tag: throw Unreadable(description: "it contains a key of unknown kind \(tag)")
      }
    }
  }
}
