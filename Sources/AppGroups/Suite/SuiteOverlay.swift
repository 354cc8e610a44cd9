import FileSignals
import Foundation
import Signals
import StrictJSON

/// The changes of a suite since the text of its file: a map of names to values that shares its structure with the maps
/// that it is derived from.
///
/// So a snapshot costs nothing, and a change of one of many values copies only the nodes on the way to it.
struct SuiteOverlay: Sendable {
  /// The new value of a name; `nil` if it was removed.
  typealias Change = (name: ExactString, entry: SuiteEntry?)

  /// A node with up to 16 branches, of which only those in use are stored.
  private final class Node: Sendable {
    let used: UInt32
    let branches: [Branch]

    init(_ used: UInt32, _ branches: [Branch]) {
      self.used = used
      self.branches = branches
    }

    /// Returns the index of a branch.
    func index(of bit: UInt32) -> Int { (used & (bit - 1)).nonzeroBitCount }

    /// The branch of a bit, if it is in use.
    subscript(bit: UInt32) -> Branch? { used & bit == 0 ? nil : branches[index(of: bit)] }
  }

  private enum Branch: Sendable {
    case node(Node)
    case leaf(Leaf)
  }

  /// A change, and the others whose names have the same hash, as a rule none.
  private final class Leaf: Sendable {
    let hash: Int
    let change: Change
    let next: Leaf?

    init(_ hash: Int, _ change: Change, _ next: Leaf?) {
      (self.hash, self.change, self.next) = (hash, change, next)
    }

    /// Returns the leaf of a name.
    func find(_ name: ExactString) -> Leaf? {
      var leaf = self
      while leaf.change.name != name {
        guard let next = leaf.next else { return nil }
        leaf = next
      }
      return leaf
    }

    /// Returns the others without the change of a name.
    func without(_ name: ExactString) -> Leaf? {
      change.name == name ? next : Leaf(hash, change, next?.without(name))
    }
  }

  private var root: Node?

  var isEmpty: Bool { root == nil }

  /// Returns whether both maps are the same object, and therefore equal.
  func isSame(as other: SuiteOverlay) -> Bool { root === other.root }

  /// The number of bits of a hash that choose a branch of a node.
  private static let width = 4

  private static func bit(_ hash: Int, _ shift: Int) -> UInt32 { 1 << UInt32((hash >> shift) & (1 << width - 1)) }

  /// The change of a name: `nil` if there is none, and a removal if it contains no value.
  subscript(name: ExactString) -> SuiteEntry?? {
    guard var node = root else { return nil }
    let hash = name.hashValue
    var shift = 0
    while true {
      let bit = Self.bit(hash, shift)
      guard node.used & bit != 0 else { return nil }
      switch node.branches[node.index(of: bit)] {
      case .node(let next): node = next
      case .leaf(let leaf): return leaf.hash == hash ? leaf.find(name).map(\.change.entry) : nil
      }
      shift += Self.width
    }
  }

  /// Adds the change of a name, or replaces it.
  ///
  /// - Returns: The change that was replaced, as ``subscript(_:)`` returns it.
  mutating func change(_ name: ExactString, to entry: SuiteEntry?) -> SuiteEntry?? {
    var old: SuiteEntry??
    root = Self.node(root, 0, name.hashValue, (name, entry), &old)
    return old
  }

  /// Returns a node with a change added.
  private static func node(
    _ node: Node?, _ shift: Int, _ hash: Int, _ change: Change, _ old: inout SuiteEntry??
  ) -> Node {
    let bit = bit(hash, shift)
    guard let node else { return Node(bit, [.leaf(Leaf(hash, change, nil))]) }
    let index = node.index(of: bit)
    var branches = node.branches
    guard node.used & bit != 0 else {
      branches.insert(.leaf(Leaf(hash, change, nil)), at: index)
      return Node(node.used | bit, branches)
    }
    branches[index] = branch(node.branches[index], shift + width, hash, change, &old)
    return Node(node.used, branches)
  }

  private static func branch(
    _ branch: Branch, _ shift: Int, _ hash: Int, _ change: Change, _ old: inout SuiteEntry??
  ) -> Branch {
    switch branch {
    case .node(let node): return .node(self.node(node, shift, hash, change, &old))
    case .leaf(let leaf) where leaf.hash == hash:
      guard let replaced = leaf.find(change.name) else { return .leaf(Leaf(hash, change, leaf)) }
      old = .some(replaced.change.entry)
      return .leaf(Leaf(hash, change, leaf.without(change.name)))
    case .leaf(let leaf):
      let lower = Node(bit(leaf.hash, shift), [branch])
      return .node(node(lower, shift, hash, change, &old))
    }
  }

  /// All changes by name.
  var changes: [ExactString: SuiteEntry?] {
    var all: [ExactString: SuiteEntry?] = [:]
    Self.visit(root.map { .node($0) }) { all.updateValue($0.entry, forKey: $0.name) }
    return all
  }

  private static func visit(_ branch: Branch?, _ body: (Change) -> Void) {
    switch branch {
    case .node(let node): for branch in node.branches { visit(branch, body) }
    case .leaf(let leaf):
      body(leaf.change)
      visit(leaf.next.map { .leaf($0) }, body)
    case nil: break
    }
  }

  /// Returns the names whose changes may differ between two maps; some of them may occur twice.
  ///
  /// - Complexity: O(*k*) for maps of which one was derived from the other by *k* changes.
  func names(differingFrom other: SuiteOverlay) -> [ExactString] {
    var names: [ExactString] = []
    Self.compare(root, other.root, &names)
    return names
  }

  private static func compare(_ first: Node?, _ second: Node?, _ names: inout [ExactString]) {
    if first === second { return }
    var rest = (first?.used ?? 0) | (second?.used ?? 0)
    while rest != 0 {
      let bit = rest & (~rest + 1)
      rest ^= bit
      switch (first?[bit], second?[bit]) {
      case (.node(let one), .node(let other)): compare(one, other, &names)
      case (.leaf(let one), .leaf(let other)) where one === other: break
      case (.leaf(let one), .leaf(let other)) where haveSameName(one, other):
        if one.change.entry !== other.change.entry { names.append(one.change.name) }
      case (let one, let other): for branch in [one, other] { visit(branch) { names.append($0.name) } }
      }
    }
  }

  /// Returns whether leaves have changes of the same name, and no others with the same hash.
  private static func haveSameName(_ first: Leaf, _ second: Leaf) -> Bool {
    first.next == nil && second.next == nil && first.change.name == second.change.name
  }
}

// MARK: Records

extension SuiteOverlay {
  /// Returns changes as the content of a record.
  ///
  /// For each change: the size of the name, the name, the size of the value, and the value as in the file. All ones
  /// instead of a size stand for a removed value.
  static func record(of changes: [ExactString: SuiteEntry?]) -> Data {
    var record = Data(count: changes.reduce(0) { $0 + recordSize(of: ($1.key, $1.value)) })
    record.withUnsafeMutableBytes { buffer in
      var rest = buffer[...]
      for (name, entry) in changes {
        let size = recordSize(of: (name, entry))
        write((name, entry), to: UnsafeMutableRawBufferPointer(rebasing: rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
    }
    return record
  }

  /// Returns the number of bytes of a change in a record.
  static func recordSize(of change: Change) -> Int {
    2 * sizeOfSize + change.name.text.utf8.count + (change.entry?.textSize ?? 0)
  }

  /// Writes a change to a part of a record, which has exactly its size.
  static func write(_ change: Change, to buffer: UnsafeMutableRawBufferPointer) {
    var name = change.name.text
    let nameSize = name.withUTF8 { name in
      // Sound: the buffer has the size of the change.
      UnsafeMutableRawBufferPointer(rebasing: buffer[sizeOfSize...]).copyMemory(from: UnsafeRawBufferPointer(name))
      return name.count
    }
    buffer.storeBytes(of: UInt32(nameSize).littleEndian, as: UInt32.self)
    let start = sizeOfSize + nameSize
    let size = change.entry.map { UInt32($0.textSize) } ?? removed
    buffer.storeBytes(of: size.littleEndian, toByteOffset: start, as: UInt32.self)
    change.entry?.withText { text in
      // Sound: as before.
      UnsafeMutableRawBufferPointer(rebasing: buffer[(start + sizeOfSize)...]).copyMemory(from: text)
    }
  }

  private static let sizeOfSize = 4
  private static let removed = UInt32.max

  /// Returns the changes in the content of a record, or `nil` if it is not such a content.
  static func changes(in record: Data) -> [Change]? {
    record.withUnsafeBytes { bytes in
      var rest = bytes[...]
      var changes: [Change] = []
      while !rest.isEmpty {
        guard let nameSize = size(in: &rest), let name = take(nameSize, of: &rest), let size = size(in: &rest) else {
          return nil
        }
        let key = ExactString(String(decoding: name, as: UTF8.self))
        if size == removed {
          changes.append((key, nil))
        } else {
          guard let text = take(size, of: &rest), isValue(text) else { return nil }
          changes.append((key, SuiteEntry(key, text: text)))
        }
      }
      return changes
    }
  }

  /// Returns whether a text is JSON, whose readers do not expect anything else.
  private static func isValue(_ text: UnsafeRawBufferPointer) -> Bool {
    let bytes = text.assumingMemoryBound(to: UInt8.self)
    return tolerating(else: false) { () throws(TextProblem) in
      // It is a member of an object.
      try JSONReader.read(bytes, depth: 1) { reader throws(TextProblem) in
        let isAtStart = reader.index == 0
        try reader.skipValue()
        return isAtStart
      }
    }
  }

  private static func size(in rest: inout Slice<UnsafeRawBufferPointer>) -> UInt32? {
    take(UInt32(sizeOfSize), of: &rest).map { UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self)) }
  }

  private static func take(_ count: UInt32, of rest: inout Slice<UnsafeRawBufferPointer>) -> UnsafeRawBufferPointer? {
    guard rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(Int(count)) }
    return UnsafeRawBufferPointer(rebasing: rest.prefix(Int(count)))
  }
}
