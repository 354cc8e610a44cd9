/// The names of an object's members so far, of which each may stand there once.
package struct NameList {
  private var names: [String] = []
  private var offsets: [Int] = []

  /// Used as soon as there are too many to be compared one by one.
  private var table = NameTable()

  package init() {}

  /// Adds a name.
  ///
  /// - Throws: ``TextProblem`` if it is there already.
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
