import FileSignals
import Foundation

/// The changes of a suite since the text of its file: a map of names to values that shares its structure with the maps
/// that it is derived from.
///
/// So a snapshot costs nothing, and a change of one of many values copies only the nodes on the way to it.
struct SuiteOverlay: Sendable {
  /// The new value of a name; `nil` if it was removed.
  typealias Change = (name: ExactString, entry: SuiteEntry?)

  /// A node with up to 32 branches, of which only those in use are stored.
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
    /// The changes whose names have the same hash, as a rule one.
    case leaf(hash: Int, changes: [Change])
  }

  private var root: Node?

  var isEmpty: Bool { root == nil }

  /// Returns whether both maps are the same object, and therefore equal.
  func isSame(as other: SuiteOverlay) -> Bool { root === other.root }

  private static let width = 5

  private static func bit(_ hash: Int, _ shift: Int) -> UInt32 { 1 << UInt32((hash >> shift) & 31) }

  /// The change of a name: `nil` if there is none, and a removal if it contains no value.
  subscript(name: ExactString) -> SuiteEntry?? {
    get {
      guard var node = root else { return nil }
      let hash = name.hashValue
      var shift = 0
      while true {
        let bit = Self.bit(hash, shift)
        guard node.used & bit != 0 else { return nil }
        switch node.branches[node.index(of: bit)] {
        case .node(let next): node = next
        case .leaf(let found, let changes):
          guard found == hash, let change = changes.first(where: { $0.name == name }) else { return nil }
          return .some(change.entry)
        }
        shift += Self.width
      }
    }
    set {
      guard let entry = newValue else { return }
      root = Self.node(root, 0, name.hashValue, (name, entry))
    }
  }

  /// Returns a node with a change added.
  private static func node(_ node: Node?, _ shift: Int, _ hash: Int, _ change: Change) -> Node {
    let bit = bit(hash, shift)
    guard let node else { return Node(bit, [.leaf(hash: hash, changes: [change])]) }
    let index = node.index(of: bit)
    var branches = node.branches
    guard node.used & bit != 0 else {
      branches.insert(.leaf(hash: hash, changes: [change]), at: index)
      return Node(node.used | bit, branches)
    }
    branches[index] = branch(branches[index], shift + width, hash, change)
    return Node(node.used, branches)
  }

  private static func branch(_ branch: Branch, _ shift: Int, _ hash: Int, _ change: Change) -> Branch {
    switch branch {
    case .node(let node): return .node(self.node(node, shift, hash, change))
    case .leaf(hash, let changes):
      return .leaf(hash: hash, changes: changes.filter { $0.name != change.name } + [change])
    case .leaf(let other, let changes):
      let lower = Node(bit(other, shift), [.leaf(hash: other, changes: changes)])
      return .node(node(lower, shift, hash, change))
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
    case .leaf(_, let changes): for change in changes { body(change) }
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
      case (.leaf(_, let one), .leaf(_, let other)) where areSame(one, other): break
      case (let one, let other): for branch in [one, other] { visit(branch) { names.append($0.name) } }
      }
    }
  }

  /// Returns whether changes are the same objects.
  private static func areSame(_ first: [Change], _ second: [Change]) -> Bool {
    first.count == second.count && zip(first, second).allSatisfy { $0.entry === $1.entry && $0.name == $1.name }
  }
}

// MARK: Records

extension SuiteOverlay {
  /// Returns changes as the content of a record.
  ///
  /// For each change: the size of the name, the name, the size of the value, and the value as in the file. All ones
  /// instead of a size stand for a removed value.
  static func record(of changes: [ExactString: SuiteEntry?]) -> Data {
    var record: [UInt8] = []
    record.reserveCapacity(changes.reduce(0) { $0 + 8 + $1.key.text.utf8.count + ($1.value?.line.count ?? 0) })
    for (name, entry) in changes {
      append(UInt32(name.text.utf8.count), to: &record)
      record += name.text.utf8
      if let entry {
        entry.withText { text in
          append(UInt32(text.count), to: &record)
          record += text
        }
      } else {
        append(removed, to: &record)
      }
    }
    return Data(record)
  }

  private static let removed = UInt32.max

  private static func append(_ number: UInt32, to record: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { record += $0 }
  }

  /// Returns the changes in the content of a record, or `nil` if it is not such a content.
  static func changes(in record: Data) -> [Change]? {
    var rest = record[...]
    var changes: [Change] = []
    while !rest.isEmpty {
      guard let name = number(in: &rest).flatMap({ take(Int($0), of: &rest) }), let size = number(in: &rest) else {
        return nil
      }
      let key = ExactString(String(decoding: name, as: UTF8.self))
      if size == removed {
        changes.append((key, nil))
      } else {
        guard let text = take(Int(size), of: &rest) else { return nil }
        changes.append((key, SuiteEntry(key, text: text)))
      }
    }
    return changes
  }

  private static func number(in rest: inout Data.SubSequence) -> UInt32? {
    take(4, of: &rest)?.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func take(_ count: Int, of rest: inout Data.SubSequence) -> Data? {
    guard rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }
}
