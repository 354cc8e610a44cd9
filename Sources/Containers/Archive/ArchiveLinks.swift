import Foundation

/// The links of an archive, each of which must stay in its environment.
///
/// A destination that goes up first, no further than its tree, and then down stays inside, because every other link of
/// the archive does. After a name, `..` may lead anywhere, so such a destination is followed through the directories
/// and links of the archive, once all of them are known. A destination must not name the hidden directory, which is in
/// the tree while the environment is active, and contains all other environments.
struct ArchiveLinks {
  private enum Entry {
    case directory
    case link([UInt8])
  }

  private let hidden: String
  /// The directories and links.
  private var entries: [EntryPath: Entry] = [:]
  /// The same by the names that the least exact file system would find.
  private var folded: [String: Entry] = [:]
  /// The links that are followed at the end.
  private var pending: [EntryPath] = []

  init(hidden: EntryPath) {
    self.hidden = Self.folded(hidden.name.bytes)
  }

  mutating func add(_ entry: ArchiveEntry) {
    let added: Entry
    switch entry.kind {
    case .directory: added = .directory
    case .link: added = .link(entry.target)
    default: return
    }
    entries[entry.path] = added
    let path = Self.folded(entry.path.bytes)
    // Where names are compared inexactly, the link could be the one that is found.
    if case .link = folded[path] { return }
    folded[path] = added
  }

  /// Returns the reason why a link may lead out of its tree, or `nil` if it cannot, or is followed at the end.
  mutating func problem(with entry: ArchiveEntry) -> String? {
    if entry.target.first == EntryPath.slash { return "it is a link to an absolute path" }
    // The first name is the tree itself.
    var depth = entry.path.bytes.count { $0 == EntryPath.slash } - 1
    var isDown = false
    var isPending = false
    for name in entry.target.split(separator: EntryPath.slash) where !name.elementsEqual(EntryPath.here) {
      if Self.folded(name) == hidden { return "it is a link that could lead to other environments" }
      if name.elementsEqual(EntryPath.up) {
        depth -= 1
        if isDown { isPending = true } else if depth < 0 { return Self.outward }
      } else {
        isDown = true
      }
    }
    if isPending { pending.append(entry.path) }
    return nil
  }

  /// Returns the first link that may lead out of its tree, and the reason.
  func firstProblem() -> (path: EntryPath, reason: String)? {
    for path in pending where leadsOutside(path) { return (path, Self.outward) }
    return nil
  }

  /// Follows a link as the system does, and returns whether it may lead out of its tree.
  private func leadsOutside(_ path: EntryPath) -> Bool {
    guard case .link(let target) = entries[path] else { return false }
    var place = path.parent
    var names = Array(target.split(separator: EntryPath.slash).reversed())
    var followed = 1
    while let name = names.popLast() {
      if name.elementsEqual(EntryPath.here) { continue }
      if name.elementsEqual(EntryPath.up) {
        guard place.bytes.contains(EntryPath.slash) else { return true }
        place = place.parent
        continue
      }
      let next = place.appending(EntryPath(bytes: Array(name)))
      switch entries[next] ?? folded[Self.folded(next.bytes)] {
      case .directory: place = next
      // Something else could be created in the place of a file or missing entry. Nothing of the archive lies below it.
      case nil: return names.contains { $0.elementsEqual(EntryPath.up) }
      case .link(let target):
        followed += 1
        // The system gives up here, too, and each of these links is verified itself.
        guard followed <= 40 else { return names.contains { $0.elementsEqual(EntryPath.up) } }
        guard target.first != EntryPath.slash else { return true }
        names += target.split(separator: EntryPath.slash).reversed()
      }
    }
    return false
  }

  private static let outward = "it is a link that could lead out of its environment"

  /// Returns a name as the least exact file system compares it: in lower case, and without invisible characters.
  private static func folded(_ name: some Collection<UInt8>) -> String {
    var text = String(decoding: name, as: UTF8.self)
    text.unicodeScalars.removeAll { $0.properties.isDefaultIgnorableCodePoint }
    return text.uppercased()
  }
}
