import FileSignals
import Foundation
import Signals
import StrictJSON

/// The value of one key: its text, and the values that were decoded from it so far.
///
/// Entries do not change. If the text of a key changes, it gets a new entry.
final class SuiteEntry: Sendable {
  let name: ExactString

  /// The name and the value, in the layout of the file.
  let line: [UInt8]

  /// The offset of the value in the line.
  private let start: Int

  private let decodings = Guarded<[Decoding]>([])

  /// The text decoded as one type.
  private struct Decoding {
    let type: ObjectIdentifier
    /// A ``Decoded`` of the type, or `nil` if the text cannot be decoded as it.
    let value: (any AnyObject & Sendable)?
    let reason: String
    var isReported = false
  }

  /// A value as an object, so that code without its type can keep it.
  final class Decoded<Item: Sendable>: Sendable {
    let item: Item

    init(_ item: Item) {
      self.item = item
    }
  }

  /// The text between a name and its value.
  static let colon = Array(" : ".utf8)

  init(_ name: ExactString, text: some Collection<UInt8>) {
    var line: [UInt8] = []
    line.reserveCapacity(name.text.utf8.count + 2 + Self.colon.count + text.count)
    JSONText.append(quoted: name.text, to: &line)
    line += Self.colon
    start = line.count
    line += text
    self.line = line
    self.name = name
  }

  /// Creates the value of an integer, whose description would take as long as everything else here.
  private static func encoding(_ integer: Int, for name: ExactString) -> SuiteEntry {
    // No number has more digits and a sign.
    let size = 20
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: size) { digits in
      var start = size
      var rest = integer.magnitude
      repeat {
        start -= 1
        digits.initializeElement(at: start, to: JSONByte.zero + UInt8(truncatingIfNeeded: rest % 10))
        rest /= 10
      } while rest > 0
      if integer < 0 {
        start -= 1
        digits.initializeElement(at: start, to: JSONByte.minus)
      }
      // Sound: the bytes from the start on are initialized, and need no deinitialization.
      return SuiteEntry(name, text: UnsafeBufferPointer(rebasing: digits[start...]))
    }
  }

  /// Creates the value of a line that a file has.
  init(_ name: ExactString, line: [UInt8]) {
    self.name = name
    self.line = line
    start = JSONText.quoted(name.text).count + Self.colon.count
  }

  /// The value, as JSON.
  var text: Data { Data(line[start...]) }

  /// The number of bytes of the value, as JSON.
  var textSize: Int { line.count - start }

  /// Calls a closure with the value, as JSON.
  func withText(_ body: (UnsafeRawBufferPointer) -> Void) {
    line.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
  }

  /// Encodes a value.
  static func encoding<Item: Encodable>(_ item: Item, for name: ExactString) throws -> SuiteEntry {
    // The encoder, which writes the same, takes most of the time of a change.
    if let integer = item as? Int { return encoding(integer, for: name) }
    if let boolean = item as? Bool { return SuiteEntry(name, text: String(boolean).utf8) }
    if let string = item as? String, JSONText.isPlain(string) {
      return SuiteEntry(name, text: "\"\(string)\"".utf8)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try SuiteEntry(name, text: JSONReader.memberText(of: encoder.encode(item)))
  }

  /// A Boolean value that indicates whether the value is `null`, which most types cannot represent.
  var isNull: Bool { text == Data("null".utf8) }

  /// The result of decoding an entry.
  enum Content<Item: Sendable> {
    case item(Decoded<Item>)
    case unreadable(reason: String)
  }

  /// Returns the value as a type, which is decoded once and then stored.
  func content<Item: Decodable & Sendable>(as type: Item.Type) -> Content<Item> {
    let identifier = ObjectIdentifier(type)
    if let known = decodings.withLock({ $0.first { $0.type == identifier } }) { return content(of: known) }
    let decoding: Decoding
    do {
      let item = try plainItem(as: type) ?? JSONDecoder().decodeExplaining(type, from: text)
      decoding = Decoding(type: identifier, value: Decoded(item), reason: "")
    } catch {
      decoding = Decoding(type: identifier, value: nil, reason: CodingReason.words(for: error))
    }
    return content(
      of: decodings.withLock { decodings in
        // Another thread may have been faster; both must use the same value.
        if let known = decodings.first(where: { $0.type == identifier }) { return known }
        decodings.append(decoding)
        return decoding
      })
  }

  /// Returns the value as one of the types that most keys have, without a decoder, which takes most of the time of a
  /// change; `nil` if that is not possible.
  private func plainItem<Item>(as type: Item.Type) -> Item? {
    if type == Int.self { return integer as? Item }
    if type == Bool.self { return boolean as? Item }
    if type == String.self { return plainString as? Item }
    return nil
  }

  private var integer: Int? {
    let isNegative = line[start] == JSONByte.minus
    let digits = line[(isNegative ? start + 1 : start)...]
    // More digits may not fit. Only a decoder knows what other numbers mean.
    guard (1...18).contains(digits.count), digits.allSatisfy({ $0 >= JSONByte.zero && $0 <= JSONByte.nine }) else {
      return nil
    }
    let magnitude = digits.reduce(0) { $0 * 10 + Int($1 - JSONByte.zero) }
    return isNegative ? -magnitude : magnitude
  }

  private var boolean: Bool? {
    switch line.count - start {
    case 4: line[start...].elementsEqual("true".utf8) ? true : nil
    case 5: line[start...].elementsEqual("false".utf8) ? false : nil
    default: nil
    }
  }

  /// The text in quotation marks if it has no escapes.
  private var plainString: String? {
    guard line.count - start >= 2, line[start] == JSONByte.quote, line[line.count - 1] == JSONByte.quote else {
      return nil
    }
    return String(validating: line[(start + 1)..<(line.count - 1)], as: UTF8.self)
      .flatMap { JSONText.isPlain($0) ? $0 : nil }
  }

  private func content<Item: Sendable>(of decoding: Decoding) -> Content<Item> {
    guard let value = decoding.value else { return .unreadable(reason: decoding.reason) }
    // Sound: the identifier belongs to the decoded type.
    return .item(unsafeDowncast(value, to: Decoded<Item>.self))
  }

  /// A Boolean value that indicates whether the value was read.
  var isDecoded: Bool { decodings.withLock { !$0.isEmpty } }

  /// Returns `true` once for each type: the caller then reports that the entry cannot be decoded as it.
  func claimReport<Item>(as type: Item.Type) -> Bool {
    decodings.withLock { decodings in
      guard let index = decodings.firstIndex(where: { $0.type == ObjectIdentifier(type) }) else { return false }
      defer { decodings[index].isReported = true }
      return !decodings[index].isReported
    }
  }
}

extension SuiteEntry: Equatable {
  static func == (first: SuiteEntry, second: SuiteEntry) -> Bool {
    first === second || first.line == second.line
  }
}

extension SuiteEntry {
  /// Returns the value as a type, or `nil` if it is `null` and the type cannot represent that.
  func item<Item: Decodable & Sendable>(
    as type: Item.Type, key: String, url: URL, isSealed: Bool
  ) throws(AppGroupsFileError) -> Item? {
    try decoded(as: type, key: key, url: url, isSealed: isSealed)?.item
  }

  /// Returns the value as a type, as ``item(as:key:url:isSealed:)`` does, in an object.
  func decoded<Item: Decodable & Sendable>(
    as type: Item.Type, key: String, url: URL, isSealed: Bool
  ) throws(AppGroupsFileError) -> Decoded<Item>? {
    switch content(as: type) {
    case .item(let decoded): return decoded
    case .unreadable where isNull: return nil
    case .unreadable(let reason):
      // A reason quotes the value, and errors get into logs.
      let reason = isSealed ? "the opened value is of another type" : reason
      throw .undecodableValue(url, key: key, type: String(describing: type), reason: reason)
    }
  }

  /// Encodes a value.
  static func encoding<Item: Encodable>(
    _ item: Item, key: String, url: URL
  ) throws(AppGroupsFileError) -> SuiteEntry {
    do {
      return try encoding(item, for: ExactString(key))
    } catch {
      throw .unencodableValue(
        url, key: key, type: String(describing: type(of: item)), reason: CodingReason.words(for: error))
    }
  }
}
