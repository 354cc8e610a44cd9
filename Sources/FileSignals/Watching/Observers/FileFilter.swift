/// Which entries of a directory an observer tells of.
///
/// ```swift
/// import FileSignals
///
/// let sources: FileFilter = .names("*.json", "*.plist").notEntering("node_modules", "Build*")
/// print(sources.matches("themes/dark.json"), sources.matches("themes/.draft.json"), sources.enters("node_modules"))
/// // Prints "true false false"
/// ```
///
/// A filter decides what is told, and which directories a recursive observer enters; a directory whose own name does
/// not match is entered all the same, because a file in it may match.
///
/// **Patterns** are those of the shell: `*` stands for any characters, `?` for one, `[a-z]` for one of these, `[!a-z]`
/// for any other, and a backslash takes the meaning from what follows. Upper and lower case differ. A pattern without a
/// slash is compared with the last name of the path; one with a slash, such as `themes/*.json`, with the whole path
/// from the observed directory on, and then `*` matches no slash.
///
/// **Hidden** are names that begin with a dot. ``all`` includes them; patterns match them only if they begin with a dot
/// themselves, and hidden directories are not entered, unless you say `includingHidden`. The folders `.shared`, where
/// ``DurableFile`` keeps its locks, are never told of nor entered.
public struct FileFilter: Sendable {
  private enum Rule: Sendable {
    case all
    case patterns([ShellPattern], includesHidden: Bool)
    case paths(@Sendable (String) -> Bool)
  }

  private let rule: Rule
  private var closed: [ShellPattern] = []

  /// Every entry, hidden ones included.
  public static var all: FileFilter { FileFilter(rule: .all) }

  /// The entries that match one of some patterns.
  ///
  /// - Parameters:
  ///   - patterns: Patterns of the shell, such as `*.json`.
  ///   - includingHidden: Whether `*` and `?` match a leading dot, and hidden directories are entered.
  /// - Returns: The filter.
  public static func names(_ patterns: String..., includingHidden: Bool = false) -> FileFilter {
    FileFilter(rule: .patterns(patterns.map(ShellPattern.init), includesHidden: includingHidden))
  }

  /// The entries whose paths satisfy a condition; every directory is entered.
  ///
  /// - Parameter isWanted: Given a path from the observed directory on, such as `themes/dark.json`; called on the
  ///   observer's queue, often, so it must be quick.
  /// - Returns: The filter.
  public static func paths(where isWanted: @escaping @Sendable (String) -> Bool) -> FileFilter {
    FileFilter(rule: .paths(isWanted))
  }

  /// The same filter, which leaves out some directories with all that is in them.
  ///
  /// - Parameter patterns: Patterns for directories, such as `node_modules`. They are not watched either, which saves
  ///   the watches.
  /// - Returns: The filter.
  public func notEntering(_ patterns: String...) -> FileFilter {
    var filter = self
    filter.closed += patterns.map(ShellPattern.init)
    return filter
  }

  /// Whether an entry is told of.
  ///
  /// - Parameter path: The path from the observed directory on.
  /// - Returns: Whether it matches.
  public func matches(_ path: String) -> Bool {
    switch rule {
    case .all: true
    case .patterns(let patterns, let includesHidden):
      patterns.contains { $0.matches(path, includesHidden: includesHidden) }
    case .paths(let isWanted): isWanted(path)
    }
  }

  /// Whether a recursive observer enters a directory.
  ///
  /// - Parameter path: The path from the observed directory on.
  /// - Returns: Whether it is entered.
  public func enters(_ path: String) -> Bool {
    if case .patterns(_, includesHidden: false) = rule, Self.name(of: path).hasPrefix(".") { return false }
    return !closed.contains { $0.matches(path, includesHidden: true) }
  }

  private static func name(of path: String) -> Substring {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path[...] }
    return path[path.utf8.index(after: slash)...]
  }
}
