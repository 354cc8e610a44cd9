import AppGroups
import FileSignals

/// The rules that decide which entries stay in place during a switch.
struct ExcludeRules: Sendable {
  enum Verdict: Sendable {
    case moves
    case stays
    /// The directory stays, and its entries are considered one by one.
    case opens
  }

  /// The names of entries that stay at any depth.
  let names: Set<EntryPath>

  /// The entries that stay, with all their contents.
  let staying: Set<EntryPath>

  /// The entries that always stay and belong to no environment.
  let permanent: Set<EntryPath>

  /// The directories that stay while their entries are considered one by one.
  let fixed: Set<EntryPath>

  /// The directories that lead to entries that stay.
  private let leading: Set<EntryPath>

  init(_ layout: ContainerLayout, custom: [String]) {
    permanent = Set(layout.permanent)
    names = Set(custom.compactMap { SwitchedRoots.nameAtAnyDepth($0) }.map { EntryPath($0) })
    let paths = custom.filter { SwitchedRoots.nameAtAnyDepth($0) == nil }
    staying = Set(layout.permanent + paths.map { EntryPath($0) })
    fixed = Set(layout.fixed)
    leading = Set((staying.union(fixed)).flatMap(\.ancestors)).union(fixed)
  }

  func verdict(on path: EntryPath) -> Verdict {
    if staying.contains(path) || names.contains(path.name) { return .stays }
    return leading.contains(path) ? .opens : .moves
  }

  /// Returns a Boolean value that indicates whether an entry stays, because it or a directory above it is excluded.
  func excludes(_ path: EntryPath) -> Bool {
    (path.ancestors + [path]).contains { staying.contains($0) || names.contains($0.name) }
  }

  /// The staying entries below a directory.
  func stayingEntries(below path: EntryPath) -> some Sequence<EntryPath> {
    staying.union(fixed).lazy.filter { path.isAncestor(of: $0) }
  }

  /// Returns a path in its canonical spelling.
  ///
  /// - Throws: ``AppContainerError/invalidExcludedPath(_:reason:)`` if the path is not below the root, or is a pattern
  ///   that is not allowed.
  static func normalized(_ text: String) throws(AppContainerError) -> String {
    let path = try path(text)
    let exact = SwitchedRoots.nameAtAnyDepth(path) ?? path
    if exact.holds("*") {
      throw .invalidExcludedPath(text, reason: "the only pattern is \"**/name\", for a name at any depth")
    }
    return path
  }

  /// Returns a path in its canonical spelling, as it is in records; earlier versions stored other patterns as names.
  ///
  /// - Throws: ``AppContainerError/invalidExcludedPath(_:reason:)`` if the path is not below the root.
  static func path(_ text: String) throws(AppContainerError) -> String {
    let names = text.parts(separatedBy: "/", omittingEmpty: true)
    if text.begins(with: "/") { throw .invalidExcludedPath(text, reason: "it is absolute") }
    if text.utf8.contains(0) { throw .invalidExcludedPath(text, reason: "it contains a NUL character") }
    if names.isEmpty { throw .invalidExcludedPath(text, reason: "it is empty") }
    if names.contains("..") { throw .invalidExcludedPath(text, reason: "it contains \"..\"") }
    let path = names.filter { $0 != "." }.joined(separator: "/")
    if path.isEmpty { throw .invalidExcludedPath(text, reason: "it is the root itself") }
    return path
  }
}
