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
