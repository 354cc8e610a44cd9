import CLibrary
import FileSignals
import Foundation
import Signals
import StrictJSON
import Synchronization

/// The JSON text of a suite: one object, whose members are sorted by name and have a line each.
///
/// A suite consists of this text, and no value is an object of its own until it is read. So a suite takes little more
/// memory than its file, and opening it decodes no value.
///
/// ```
/// {
///   "theme" : "dark",
///   "volume" : 7
/// }
/// ```
final class SuiteText: Sendable {
  /// The bytes, which are those of the file if the file has this layout.
  let data: Data

  /// The offsets of the members, in order.
  private let starts: [Int]

  /// The values that were read so far, from this text or from earlier texts of the same suite.
  let entries: SuiteEntries

  /// The number of this text, which no other one has.
  let number = SuiteText.last.wrappingAdd(1, ordering: .relaxed).newValue

  private static let last = Atomic<UInt64>(0)

  init(_ data: Data, _ starts: [Int], _ entries: SuiteEntries) {
    self.data = data
    self.starts = starts
    self.entries = entries
  }

  /// Creates the text of a suite without values.
  convenience init(entries: SuiteEntries = SuiteEntries()) {
    self.init(Self.empty, [], entries)
  }

  /// Creates the same text as a part of another suite.
  convenience init(_ other: SuiteText, entries: SuiteEntries) {
    self.init(other.data, other.starts, entries)
  }

  /// The number of values.
  var count: Int { starts.count }

  /// The sum of the sizes of the values' lines.
  var lineSize: Int {
    starts.isEmpty ? 0 : data.count - Self.start.count - Self.end.count - (starts.count - 1) * Self.separator.count
  }

  /// Returns the size of a text with a number of values.
  static func size(of count: Int, lineSize: Int) -> Int {
    count == 0 ? empty.count : start.count + lineSize + (count - 1) * separator.count + end.count
  }

  // MARK: Finding

  /// Returns the value of a name, or `nil` if there is none.
  ///
  /// - Complexity: O(log *n*), or O(1) if it has been read before.
  subscript(name: ExactString) -> SuiteEntry? {
    if starts.isEmpty { return nil }
    return entries.find(name, in: self) ?? index(of: name).map { entries.entry(name, at: $0, of: self) }
  }

  /// Returns the index of the member with a name, or `nil` if there is none.
  func index(of name: ExactString) -> Int? {
    if starts.isEmpty { return nil }
    let (index, isFound) = find(name)
    return isFound ? index : nil
  }

  /// The names of the values, in order.
  var names: [ExactString] { data.withUnsafeBytes { bytes in starts.map { Self.name(at: $0, in: bytes) } } }

  /// The bytes of the member with an index.
  func line(at index: Int) -> Data { data[range(at: index)] }

  /// Returns whether the member with an index has certain bytes.
  func isLine(_ line: [UInt8], at index: Int) -> Bool { line.withUnsafeBytes { isLine($0, at: index) } }

  private func isLine(_ line: UnsafeRawBufferPointer, at index: Int) -> Bool {
    guard index < starts.count else { return false }
    let range = range(at: index)
    guard range.count == line.count, let other = line.baseAddress else { return false }
    return data.withUnsafeBytes { memcmp($0.baseAddress.unsafelyUnwrapped + range.lowerBound, other, range.count) == 0 }
  }

  func range(at index: Int) -> Range<Int> {
    starts[index]..<(index + 1 < starts.count ? starts[index + 1] - Self.separator.count : data.count - Self.end.count)
  }

  private func range(of members: Range<Int>) -> Range<Int> {
    starts[members.lowerBound]..<range(at: members.upperBound - 1).upperBound
  }

  /// Returns the index of a name, or the index at which it would have to be inserted.
  private func find(_ name: ExactString) -> (index: Int, isFound: Bool) {
    var name = name.text
    return name.withUTF8 { name in
      data.withUnsafeBytes { bytes in
        var (low, high) = (0, starts.count)
        while low < high {
          let middle = (low + high) / 2
          let order = Self.compare(name, withNameAt: starts[middle], in: bytes)
          if order == 0 { return (middle, true) }
          if order < 0 { high = middle } else { low = middle + 1 }
        }
        return (low, false)
      }
    }
  }

  // MARK: Names in the text

  /// Compares a name with the name of the member at an offset, byte by byte.
  ///
  /// - Returns: A negative number if the given name comes first, a positive one if it comes later, and 0 if both are
  ///   the same.
  private static func compare(
    _ name: UnsafeBufferPointer<UInt8>, withNameAt start: Int, in bytes: UnsafeRawBufferPointer
  ) -> Int {
    guard let text = bytes.baseAddress else { return 1 }
    let (quote, backslash) = (JSONByte.quote, JSONByte.backslash)
    // Sound: the text was parsed, so a quote ends each name. Most names are without escapes, and compared in place.
    let other = text.assumingMemoryBound(to: UInt8.self) + start + 1
    for (index, byte) in name.enumerated() {
      if other[index] == backslash { return compare(name, withEscapedNameAt: start, in: bytes) }
      if other[index] == quote { return 1 }
      if byte != other[index] { return Int(byte) - Int(other[index]) }
    }
    return other[name.count] == quote ? 0 : -1
  }

  private static func compare(
    _ name: UnsafeBufferPointer<UInt8>, withEscapedNameAt start: Int, in bytes: UnsafeRawBufferPointer
  ) -> Int {
    var names = NameBytes(bytes, at: start)
    for byte in name {
      guard let other = names.next() else { return 1 }
      if byte != other { return Int(byte) - Int(other) }
    }
    return names.next() == nil ? 0 : -1
  }

  /// Returns whether a name comes after the name of the member at an offset.
  static func isName(_ name: String, afterNameAt start: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
    var name = name
    return name.withUTF8 { compare($0, withNameAt: start, in: bytes) > 0 }
  }

  static func name(at start: Int, in bytes: UnsafeRawBufferPointer) -> ExactString {
    ExactString(String(decoding: Array(IteratorSequence(NameBytes(bytes, at: start))), as: UTF8.self))
  }

  /// The bytes of a member's name, without the escapes that ``JSONText`` writes.
  private struct NameBytes: IteratorProtocol {
    private let bytes: UnsafeRawBufferPointer
    private var index: Int

    init(_ bytes: UnsafeRawBufferPointer, at start: Int) {
      self.bytes = bytes
      index = start + 1
    }

    mutating func next() -> UInt8? {
      let byte = bytes[index]
      if byte == JSONByte.quote { return nil }
      index += 1
      guard byte == JSONByte.backslash else { return byte }
      let letter = bytes[index]
      index += 1
      guard letter == JSONByte.letterU else { return JSONReader.meaning(of: letter) }
      index += 4
      return UInt8(String(decoding: bytes[index - 2..<index], as: UTF8.self), radix: 16)
    }
  }

  // MARK: Changing

  static let empty = Data("{}\n".utf8)
  static let start = Data("{\n  ".utf8)
  static let separator = Data(",\n  ".utf8)
  static let end = Data("\n}\n".utf8)

  /// Returns the text after changes of some values.
  ///
  /// - Parameter changes: The new value of each changed name; `nil` removes it.
  /// - Returns: The text, which is this one if there is no change.
  /// - Complexity: O(*n*) to copy the bytes in between, and O(*k* log *n*) for *k* changes.
  func changing(_ changes: [ExactString: SuiteEntry?]) -> SuiteText {
    if changes.isEmpty { return self }
    // Sorted by place, because names are only compared if they are inserted at the same one.
    var places: [(index: Int, isFound: Bool, change: SuiteOverlay.Change)] = []
    places.reserveCapacity(changes.count)
    for (name, entry) in changes {
      let (index, isFound) = find(name)
      places.append((index, isFound, (name, entry)))
    }
    places.sort { first, second in
      if first.index != second.index { return first.index < second.index }
      if first.isFound != second.isFound { return second.isFound }
      return first.change.name < second.change.name
    }
    var pieces: [Piece] = []
    var next = 0
    for (index, isFound, change) in places {
      if next < index { pieces.append(.members(next..<index)) }
      if let entry = change.entry { pieces.append(.line(entry.line)) }
      next = isFound ? index + 1 : index
    }
    if next < starts.count { pieces.append(.members(next..<starts.count)) }
    return joined(pieces)
  }

  /// A part of a new text: a line, or members of the present text.
  private enum Piece {
    case line([UInt8])
    case members(Range<Int>)
  }

  private func joined(_ pieces: [Piece]) -> SuiteText {
    guard !pieces.isEmpty else { return SuiteText(entries: entries) }
    var size = Self.start.count + Self.end.count + (pieces.count - 1) * Self.separator.count
    for piece in pieces {
      switch piece {
      case .line(let line): size += line.count
      case .members(let members): size += range(of: members).count
      }
    }
    var joined = Data(count: size)
    var places: [Int] = []
    places.reserveCapacity(starts.count + pieces.count)
    joined.withUnsafeMutableBytes { buffer in
      // Sound: the pieces have the size that was added up above. Appending them one by one takes several times as long.
      var offset = 0
      func put(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyMemory(from: bytes)
        offset += bytes.count
      }
      data.withUnsafeBytes { text in
        for piece in pieces {
          (offset == 0 ? Self.start : Self.separator).withUnsafeBytes(put)
          switch piece {
          case .line(let line):
            places.append(offset)
            line.withUnsafeBytes(put)
          case .members(let members):
            let shift = offset - starts[members.lowerBound]
            for start in starts[members] { places.append(start + shift) }
            put(UnsafeRawBufferPointer(rebasing: text[range(of: members)]))
          }
        }
      }
      Self.end.withUnsafeBytes(put)
    }
    return SuiteText(joined, places, entries)
  }

  // MARK: Comparing

  /// Returns the names of the values that differ between two texts.
  ///
  /// - Complexity: O(*n*), which compares bytes and decodes no value.
  func difference(from other: SuiteText) -> Set<ExactString> {
    var names: Set<ExactString> = []
    if number == other.number { return names }
    data.withUnsafeBytes { bytes in
      other.data.withUnsafeBytes { others in
        var (index, place) = (0, 0)
        while index < starts.count || place < other.starts.count {
          if index < starts.count, place < other.starts.count,
            isLine(UnsafeRawBufferPointer(rebasing: others[other.range(at: place)]), at: index)
          {
            (index, place) = (index + 1, place + 1)
            continue
          }
          let name = index < starts.count ? Self.name(at: starts[index], in: bytes) : nil
          let old = place < other.starts.count ? Self.name(at: other.starts[place], in: others) : nil
          if let name, old.map({ name <= $0 }) ?? true {
            names.insert(name)
            index += 1
          }
          if let old, name.map({ old <= $0 }) ?? true {
            names.insert(old)
            place += 1
          }
        }
      }
    }
    return names
  }
}
