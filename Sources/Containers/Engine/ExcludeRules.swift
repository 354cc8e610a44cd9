/// What stays where it is when an environment is switched.
struct ExcludeRules: Sendable {
  enum Verdict: Sendable {
    case moves
    case stays
    /// It stays itself, if it is a directory, and what is in it has to be looked at one by one.
    case opens
  }

  /// What stays, whatever it is.
  let staying: Set<EntryPath>

  /// What stays for good, and is in no environment.
  let permanent: Set<EntryPath>

  /// What stays as a directory, and is looked into.
  let fixed: Set<EntryPath>

  /// Directories that lead to what stays.
  private let leading: Set<EntryPath>

  init(_ layout: ContainerLayout, custom: [String]) {
    permanent = Set(layout.permanent)
    staying = Set(layout.permanent + custom.map { EntryPath($0) })
    fixed = Set(layout.fixed)
    leading = Set((staying.union(fixed)).flatMap(\.ancestors)).union(fixed)
  }

  func verdict(on path: EntryPath) -> Verdict {
    if staying.contains(path) { return .stays }
    return leading.contains(path) ? .opens : .moves
  }

  /// What could be below a directory that stays.
  func stayingEntries(below path: EntryPath) -> some Sequence<EntryPath> {
    staying.union(fixed).lazy.filter { path.isAncestor(of: $0) }
  }

  /// The path in its one spelling.
  ///
  /// - Throws: ``AppContainerError/invalidExcludedPath(_:reason:)`` if it names nothing below the root.
  static func normalized(_ text: String) throws(AppContainerError) -> String {
    let names = text.split(separator: "/", omittingEmptySubsequences: true)
    if text.hasPrefix("/") { throw .invalidExcludedPath(text, reason: "it is absolute") }
    if text.utf8.contains(0) { throw .invalidExcludedPath(text, reason: "it contains a NUL character") }
    if names.isEmpty { throw .invalidExcludedPath(text, reason: "it is empty") }
    if names.contains("..") { throw .invalidExcludedPath(text, reason: "it contains \"..\"") }
    let path = names.filter { $0 != "." }.joined(separator: "/")
    if path.isEmpty { throw .invalidExcludedPath(text, reason: "it is the root itself") }
    return path
  }
}
