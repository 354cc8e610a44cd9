import Signals

/// A filter that selects the entries of a directory that an observer reports.
///
/// ```swift
/// import FileSignals
///
/// let sources: FileFilter = .names("*.json", "*.plist").notEntering("node_modules", "Build*")
/// print(sources.matches("themes/dark.json"), sources.matches("themes/.draft.json"), sources.enters("node_modules"))
/// // Prints "true false false"
/// ```
///
/// A filter determines which entries are reported and which directories a recursive observer enters. A directory whose
/// own name does not match is still entered, because a file in it may match.
///
/// - **Patterns:** Patterns have the syntax of the shell: `*` matches any characters, `?` one character, `[a-z]` one of
///   these characters, and `[!a-z]` any other. A backslash escapes the next character. Matching is case-sensitive. A
///   pattern without a slash is compared with the last name of the path. A pattern with a slash, such as
///   `themes/*.json`, is compared with the whole path relative to the observed directory, and its `*` does not match a
///   slash. Such a pattern neither begins nor ends with a slash, and needs a recursive observer. `**` and `{a,b}` have
///   no special meaning.
/// - **Hidden entries:** Names that begin with a dot are hidden. ``all`` includes them. Patterns match them only if
///   they begin with a dot themselves, and hidden directories are not entered, unless you pass `includingHidden`. The
///   folders `.shared`, in which ``DurableFile`` stores its locks, are never reported or entered.
public struct FileFilter: Sendable {
  private enum Rule: Sendable {
    case all
    case patterns([ShellPattern], includesHidden: Bool)
    case paths(@Sendable (String) -> Bool)
  }

  private let rule: Rule
  private var closed: [ShellPattern] = []

  /// The filter of all entries, including hidden ones.
  public static var all: FileFilter { FileFilter(rule: .all) }

  /// Returns a filter of the entries that match at least one pattern.
  ///
  /// - Parameters:
  ///   - patterns: Shell patterns, such as `*.json`; at least one.
  ///   - includingHidden: A Boolean value that determines whether `*` and `?` match a leading dot, and hidden
  ///     directories are entered.
  /// - Returns: The filter.
  public static func names(_ patterns: String..., includingHidden: Bool = false) -> FileFilter {
    if patterns.isEmpty { stop(because: "A filter without a pattern matches nothing; use .all") }
    return FileFilter(rule: .patterns(patterns.map(ShellPattern.init), includesHidden: includingHidden))
  }

  /// Returns a filter of the entries whose paths satisfy a condition.
  ///
  /// Every directory is entered.
  ///
  /// - Parameter isWanted: A closure that is called with a path relative to the observed directory, such as
  ///   `themes/dark.json`. It is called often, so it must be fast: first in the observer's initializer, on the calling
  ///   thread, and then on the observer's queue.
  /// - Returns: The filter.
  public static func paths(where isWanted: @escaping @Sendable (String) -> Bool) -> FileFilter {
    FileFilter(rule: .paths(isWanted))
  }

  /// Returns a copy of the filter that excludes some directories and their contents.
  ///
  /// - Parameter patterns: Patterns for directories, such as `node_modules`. These directories are not watched, which
  ///   saves watches.
  /// - Returns: The filter.
  public func notEntering(_ patterns: String...) -> FileFilter {
    var filter = self
    filter.closed += patterns.map(ShellPattern.init)
    return filter
  }

  /// Returns a Boolean value that indicates whether an entry is reported.
  ///
  /// - Parameter path: The path relative to the observed directory.
  /// - Returns: `true` if the entry is reported.
  public func matches(_ path: String) -> Bool {
    switch rule {
    case .all: true
    case .patterns(let patterns, let includesHidden):
      patterns.contains { $0.matches(path, includesHidden: includesHidden) }
    case .paths(let isWanted): isWanted(path)
    }
  }

  /// Returns a Boolean value that indicates whether a recursive observer enters a directory.
  ///
  /// - Parameter path: The path relative to the observed directory.
  /// - Returns: `true` if the directory is entered.
  public func enters(_ path: String) -> Bool {
    if case .patterns(_, includesHidden: false) = rule, Self.name(of: path).begins(with: ".") { return false }
    return !closed.contains { $0.matches(path, includesHidden: true) }
  }

  private static func name(of path: String) -> Substring {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path[...] }
    return path[path.utf8.index(after: slash)...]
  }
}
