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
