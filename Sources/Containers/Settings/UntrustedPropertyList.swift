import FileSignals
import Foundation

/// Reads property lists that may come from an untrusted archive.
///
/// Foundation reads and writes nested values by recursion, and visits a shared object once for each reference to it. A
/// small list could therefore use up the stack, or many hours. So every list is measured before Foundation reads it.
enum UntrustedPropertyList {
  /// The largest size of a list, and also its largest size if each shared object were stored once for each reference.
  static let largestSize = 64 << 20

  /// The largest number of objects, in which a shared object counts once for each reference.
  static let mostObjects = 1 << 18

  /// The largest number of members in a dictionary; in XML, in all dictionaries together.
  ///
  /// Foundation derives the hash of a long key from a part of it, so that many keys could have the same one. It then
  /// compares each key with all others, which takes about a minute for this number of long keys, and hours for more.
  static let mostMembers = 1 << 14

  /// The largest number of objects inside one another, which is also Foundation's limit on iOS and Android.
  static let deepest = 128

  /// The beginning of all binary lists.
  static let binaryMark = Array("bplist00".utf8)

  /// The reasons to refuse a list.
  enum Refusal: Error, CustomStringConvertible {
    /// The list is in a format that neither Foundation nor this package writes.
    case format
    case damaged
    case tooDeep
    case tooLarge

    var description: String {
      switch self {
      case .format: "it is neither a binary property list nor one in XML"
      case .damaged: "it is damaged"
      case .tooDeep: "its values are nested more than \(deepest) levels deep"
      case .tooLarge:
        "it has more than \(mostObjects) values, \(mostMembers) members in a dictionary (in XML, in all of them), or "
          + "\(largestSize) bytes"
      }
    }
  }

  /// Reads the dictionary in a list.
  ///
  /// - Parameter data: The list.
  /// - Returns: The dictionary, or `nil` if the list contains another value.
  /// - Throws: ``Refusal``, or the error of Foundation.
  static func dictionary(in data: Data) throws -> [String: Any]? {
    try check(data)
    return try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
  }

  /// Decodes the value in the list at a URL.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - url: The file.
  /// - Returns: The value.
  /// - Throws: `DurableFileError`, ``Refusal``, or the error of Foundation.
  static func decode<Value: Decodable>(_ type: Value.Type, at url: URL) throws -> Value {
    let data = try DurableFile.read(url, limit: largestSize)
    try check(data)
    return try PropertyListDecoder().decode(type, from: data)
  }

  /// Checks that Foundation can read a list with limited memory, stack and time.
  ///
  /// - Parameter data: The list.
  /// - Throws: ``Refusal``. The check is no proof that Foundation can read the list.
  static func check(_ data: Data) throws(Refusal) {
    guard data.count <= largestSize else { throw .tooLarge }
    let bytes = [UInt8](data)
    if bytes.starts(with: binaryMark) {
      guard let list = Binary(bytes) else { throw .damaged }
      try list.check()
    } else {
      try checkXML(bytes)
    }
  }
}

// MARK: Lists in XML

extension UntrustedPropertyList {
  /// The beginning of all lists in XML in small letters, after a byte order mark that some programs write.
  ///
  /// In another encoding, other bytes could be a tag.
  private static let declaration = Array(#"<?xml version="1.0" encoding="utf-8"?>"#.utf8)

  /// Counts the open tags, and reads each tag to the same character as Foundation.
  private static func checkXML(_ bytes: [UInt8]) throws(Refusal) {
    var rest = bytes.dropFirst(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
    let start = String(decoding: rest.prefix(declaration.count), as: UTF8.self)
    guard start.lowercased().utf8.elementsEqual(declaration) else { throw .format }
    rest = rest.dropFirst(declaration.count)
    // The element around the list is open, too, but no value.
    var (depth, count, members) = (0, 0, 0)
    while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
      rest = rest[start...]
      // Foundation ends an instruction earlier than XML does, and no program writes one.
      if rest.starts(with: "<?".utf8) { throw .format }
      if let comment = try text(in: &rest, from: "<!--", to: "-->") {
        // Readers differ in where a comment ends that is empty or begins with a hyphen.
        guard let first = comment.first, first != UInt8(ascii: "-") else { throw .format }
        continue
      }
      if try text(in: &rest, from: "<![CDATA[", to: "]]>") != nil { continue }
      if let type = try text(in: &rest, from: "<!", to: ">") {
        // The part between brackets would contain tags of another kind.
        guard !type.contains(UInt8(ascii: "[")) else { throw .format }
      } else if try text(in: &rest, from: "</", to: ">") != nil {
        depth -= 1
        guard depth >= 0 else { throw .damaged }
      } else if let tag = try text(in: &rest, from: "<", to: ">") {
        let (isKey, isEmpty) = (tag.starts(with: "key".utf8), tag.last == UInt8(ascii: "/"))
        // No program writes an empty key as one tag, and a decoder expects the end of the key after it.
        guard !(isKey && isEmpty) else { throw .format }
        (count, members) = (count + 1, members + (isKey ? 1 : 0))
        guard count <= mostObjects, members <= mostMembers else { throw .tooLarge }
        guard depth <= deepest else { throw .tooDeep }
        if !isEmpty { depth += 1 }
      }
    }
  }

  /// Removes everything up to an end from bytes that have a given beginning.
  ///
  /// - Returns: The bytes between the beginning and the end, or `nil` if the bytes have another beginning.
  /// - Throws: ``Refusal`` if there is no end.
  private static func text(
    in rest: inout ArraySlice<UInt8>, from start: String, to end: String
  ) throws(Refusal) -> ArraySlice<UInt8>? {
    guard rest.starts(with: start.utf8) else { return nil }
    let (inner, end) = (rest.dropFirst(start.utf8.count), Array(end.utf8))
    var index = inner.startIndex
    while let found = inner[index...].firstIndex(of: end[0]) {
      if inner[found...].starts(with: end) {
        rest = inner[(found + end.count)...]
        return inner[..<found]
      }
      index = found + 1
    }
    throw .damaged
  }
}

// MARK: Binary lists

extension UntrustedPropertyList {
  /// The objects of a binary list.
  ///
  /// The list begins with a mark and ends with a table of the objects' offsets and a trailer. An array or a dictionary
  /// refers to its elements by their positions in the table. Lists that Foundation would not write are not accepted.
  private struct Binary {
    private let bytes: [UInt8]
    private let offsetSize, referenceSize, count: Int

    /// The offset of the table, which is the end of the objects.
    private let table: Int

    /// Reads the trailer of a list; fails if it does not fit the list, or if the list is a scalar value.
    init?(_ bytes: [UInt8]) {
      let (start, trailer) = (binaryMark.count, bytes.count - 32)
      guard trailer > start else { return nil }
      self.bytes = bytes
      (offsetSize, referenceSize) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
      guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
        let count = Self.number(in: bytes[(trailer + 8)..<(trailer + 16)]),
        let root = Self.number(in: bytes[(trailer + 16)..<(trailer + 24)]),
        let table = Self.number(in: bytes[(trailer + 24)..<(trailer + 32)])
      else { return nil }
      // A number of objects up to the number of bytes cannot overflow as a number of bytes.
      guard (1...bytes.count).contains(count), root == 0, table > start, table < trailer,
        count * offsetSize == trailer - table
      else { return nil }
      (self.count, self.table) = (count, table)
      // An array or a dictionary directly after the mark, because Foundation reads as text what it does not accept as
      // binary, and this is no text.
      guard let first = object(0), first.start == start, first.kind != .scalar else { return nil }
    }

    /// Visits the objects as Foundation does, but without recursion, and at most `mostObjects` of them.
    func check() throws(Refusal) {
      // The references that are left in the open arrays and dictionaries.
      var (objects, size, open) = (0, 0, [Range<Int>]())
      func enter(_ position: Int) throws(Refusal) {
        guard let object = object(position) else { throw .damaged }
        objects += 1
        size += object.content.upperBound - object.start
        guard objects <= mostObjects, size <= largestSize else { throw .tooLarge }
        guard open.count < deepest else { throw .tooDeep }
        if object.kind == .dictionary, object.content.count > mostMembers * 2 * referenceSize { throw .tooLarge }
        if object.kind != .scalar { open.append(object.content) }
      }
      try enter(0)
      while let references = open.last {
        guard !references.isEmpty else {
          open.removeLast()
          continue
        }
        let next = references.lowerBound + referenceSize
        open[open.count - 1] = next..<references.upperBound
        guard let child = Self.number(in: bytes[references.lowerBound..<next]), child < count else { throw .damaged }
        try enter(child)
      }
    }

    private enum Kind { case scalar, array, dictionary }

    private struct Object {
      let kind: Kind
      let start: Int
      let content: Range<Int>
    }

    /// Returns the place of an object, or `nil` if it is not completely in the list or has a kind that is no value.
    private func object(_ position: Int) -> Object? {
      let entry = table + position * offsetSize
      guard let start = Self.number(in: bytes[entry..<(entry + offsetSize)]), (binaryMark.count..<table).contains(start)
      else { return nil }
      let low = Int(bytes[start] & 0xF)
      var (kind, place) = (Kind.scalar, (start: Int, count: Int)?.none)
      switch (bytes[start] >> 4, low) {
      // `false` and `true`.
      case (0, 8), (0, 9): place = (start + 1, 0)
      // Integers, floating-point numbers and dates.
      case (1, 0...4), (2, 2...3), (3, 3): place = (start + 1, 1 << low)
      // Data, ASCII text, UTF-16 text, arrays and dictionaries.
      case (4, _), (5, _): place = counted(start, low, unit: 1)
      case (6, _): place = counted(start, low, unit: 2)
      case (0xA, _): (kind, place) = (.array, counted(start, low, unit: referenceSize))
      case (0xD, _): (kind, place) = (.dictionary, counted(start, low, unit: 2 * referenceSize))
      default: place = nil
      }
      guard let place, place.count <= table - place.start else { return nil }
      return Object(kind: kind, start: start, content: place.start..<(place.start + place.count))
    }

    /// Returns the place of the content of an object whose number of units is in its mark or follows it.
    private func counted(_ start: Int, _ low: Int, unit: Int) -> (start: Int, count: Int)? {
      guard low == 0xF else { return (start + 1, low * unit) }
      guard start + 1 < table, bytes[start + 1] >> 4 == 1, bytes[start + 1] & 0xF <= 3 else { return nil }
      let content = start + 2 + (1 << Int(bytes[start + 1] & 0xF))
      guard content <= table, let number = Self.number(in: bytes[(start + 2)..<content]), number <= table
      else { return nil }
      return (content, number * unit)
    }

    /// Returns a number of at most eight bytes, or `nil` if it exceeds an `Int`.
    private static func number(in bytes: ArraySlice<UInt8>) -> Int? {
      Int(exactly: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
  }
}
