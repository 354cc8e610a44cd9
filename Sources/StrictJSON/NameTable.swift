/// A hash table of the indices of names in an array that the caller owns.
package struct NameTable: Sendable {
  private static let free: UInt32 = .max

  /// The indices, each in the slot of its hash or soon after.
  ///
  /// The number of slots is a power of two, at least twice the number of names.
  private var cells: [UInt32] = []
  private var hashes: [Int] = []

  package init() {}

  /// Returns the index of a name in the array.
  package func place(ofHash hash: Int, where isWanted: (Int) -> Bool) -> Int? {
    if cells.isEmpty { return nil }
    let mask = cells.count - 1
    var index = hash & mask
    while cells[index] != Self.free {
      let place = Int(cells[index])
      if hashes[place] == hash, isWanted(place) { return place }
      index = (index + 1) & mask
    }
    return nil
  }

  /// Adds a name that is not in the table, after all others.
  package mutating func append(hash: Int) {
    hashes.append(hash)
    if hashes.count * 2 > cells.count { arrange(for: hashes.count * 2) } else { insert(hashes.count - 1) }
  }

  private mutating func arrange(for count: Int) {
    var capacity = 16
    while capacity < count * 2 { capacity *= 2 }
    cells = Array(repeating: Self.free, count: capacity)
    for place in hashes.indices { insert(place) }
  }

  private mutating func insert(_ place: Int) {
    let mask = cells.count - 1
    var index = hashes[place] & mask
    while cells[index] != Self.free { index = (index + 1) & mask }
    cells[index] = UInt32(place)
  }
}

/// A hash function for names, which are short and nearly always ASCII.
///
/// It is several times as fast as `Hasher`.
///
/// Equal strings have equal hashes, including canonically equivalent ones. Hashes differ from process to process, so an
/// attacker cannot choose names that collide.
package enum NameHash {
  private static let seed = UInt64.random(in: .min ... .max)

  /// Returns the hash of a name that has two parts.
  package static func hash(_ first: String, _ second: String) -> Int {
    if let begun = mixed(first, into: seed), let whole = mixed(second, into: begun) {
      return Int(truncatingIfNeeded: whole)
    }
    var hasher = Hasher()
    hasher.combine(first)
    hasher.combine(second)
    return hasher.finalize()
  }

  /// Returns the hash of a name.
  package static func hash(_ name: String) -> Int {
    mixed(name, into: seed).map { Int(truncatingIfNeeded: $0) } ?? name.hashValue
  }

  /// Adds a text to a hash.
  ///
  /// Returns `nil` if the text is not ASCII, since a text of different bytes may then be equal.
  @inline(__always)
  private static func mixed(_ text: String, into state: UInt64) -> UInt64? {
    let hash = text.utf8.withContiguousStorageIfAvailable { mixed(UnsafeRawBufferPointer($0), into: state) } ?? nil
    return hash ?? mixedSlowly(text, into: state)
  }

  @inline(never)
  private static func mixedSlowly(_ text: String, into state: UInt64) -> UInt64? {
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      switch scalar {
      // The only non-ASCII characters that are canonically equivalent to ASCII ones.
      case "\u{37E}": bytes.append(UInt8(ascii: ";"))
      case "\u{1FEF}": bytes.append(UInt8(ascii: "`"))
      case "\u{212A}": bytes.append(UInt8(ascii: "K"))
      default:
        guard scalar.isASCII else { return nil }
        bytes.append(UInt8(scalar.value))
      }
    }
    return bytes.withUnsafeBytes { mixed($0, into: state) }
  }

  @inline(__always)
  private static func mixed(_ bytes: UnsafeRawBufferPointer, into start: UInt64) -> UInt64? {
    let count = bytes.count
    var state = start ^ UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
    var seen: UInt64 = 0
    var last: UInt64 = 0
    // Sound: every load lies within the bytes; the last one overlaps the previous one.
    if count >= 8 {
      var offset = 0
      while offset < count - 8 {
        let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        seen |= word
        state = fold(state ^ word)
        offset += 8
      }
      last = bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    } else if count >= 4 {
      last = UInt64(bytes.loadUnaligned(fromByteOffset: 0, as: UInt32.self))
      last |= UInt64(bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)) << 32
    } else if count > 0 {
      last = UInt64(bytes[0]) | UInt64(bytes[count / 2]) << 8 | UInt64(bytes[count - 1]) << 16
    }
    guard (seen | last) & 0x8080_8080_8080_8080 == 0 else { return nil }
    return fold(state ^ last)
  }

  /// Mixes each bit into all others.
  @inline(__always)
  private static func fold(_ word: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    return product.high ^ product.low
  }
}

/// The names of an object's members so far, each of which must be unique.
package struct NameList {
  private var names: [String] = []
  private var offsets: [Int] = []

  /// A table for fast lookup, used as soon as there are too many names to compare one by one.
  private var table = NameTable()

  package init() {}

  /// Adds a name.
  ///
  /// - Throws: ``TextProblem`` if the list already contains the name.
  package mutating func insert(_ name: String, at offset: Int, in reader: JSONReader) throws(TextProblem) {
    if let place = place(of: name) { throw reader.repetition(of: name, at: offset, first: offsets[place]) }
    names.append(name)
    offsets.append(offset)
  }

  private mutating func place(of name: String) -> Int? {
    let few = 8
    if names.count < few { return names.firstIndex(of: name) }
    if names.count == few {
      for name in names { table.append(hash: NameHash.hash(name)) }
    }
    let hash = NameHash.hash(name)
    let place = table.place(ofHash: hash) { names[$0] == name }
    if place == nil { table.append(hash: hash) }
    return place
  }
}

@available(*, unavailable)
extension NameList: Sendable {}
