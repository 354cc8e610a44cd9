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

/// A shell pattern for names.
///
/// The system's `fnmatch` is not used, because it counts bytes instead of characters and is not available to Swift on
/// all platforms.
struct ShellPattern: Sendable {
  private enum Token: Sendable {
    case any
    case one
    case literal(Unicode.Scalar)
    case set([ClosedRange<Unicode.Scalar>], isNegated: Bool)

    /// Returns a Boolean value that indicates whether the token matches a character.
    func matches(_ scalar: Unicode.Scalar) -> Bool {
      switch self {
      case .any: false
      case .one: true
      case .literal(let literal): literal == scalar
      case .set(let ranges, let isNegated): ranges.contains { $0.contains(scalar) } != isNegated
      }
    }
  }

  /// The patterns of the names between slashes.
  private let segments: [[Token]]

  init(_ text: String) {
    segments = text.parts(separatedBy: "/").map { Self.tokens(of: $0[...]) }
  }

  /// Returns a Boolean value that indicates whether a path matches.
  ///
  /// A pattern without a slash is compared with the last name only.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - includesHidden: A Boolean value that determines whether wildcards match a leading dot.
  /// - Returns: `true` if the path matches.
  func matches(_ path: String, includesHidden: Bool) -> Bool {
    var names = path.parts(separatedBy: "/")[...]
    if segments.count == 1 { names = names.suffix(1) }
    return names.count == segments.count
      && zip(names, segments).allSatisfy { Self.matches($0[...], $1, includesHidden: includesHidden) }
  }

  private static func matches(_ name: Substring, _ tokens: [Token], includesHidden: Bool) -> Bool {
    let name = Array(name.unicodeScalars)
    if !includesHidden, name.first == "." {
      guard case .literal(".")? = tokens.first else { return false }
    }
    var (position, token) = (0, 0)
    /// The position at which to continue if the last `*` must match one more character.
    ///
    /// Earlier ones need no retry.
    var retry: (position: Int, token: Int)?
    while position < name.count {
      if token < tokens.count, case .any = tokens[token] {
        token += 1
        retry = (position, token)
      } else if token < tokens.count, tokens[token].matches(name[position]) {
        (position, token) = (position + 1, token + 1)
      } else if let last = retry {
        retry = (last.position + 1, last.token)
        (position, token) = (last.position + 1, last.token)
      } else {
        return false
      }
    }
    return tokens[token...].allSatisfy { if case .any = $0 { true } else { false } }
  }

  private static func tokens(of text: Substring) -> [Token] {
    var tokens: [Token] = []
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "*": tokens.append(.any)
      case "?": tokens.append(.one)
      case "\\": tokens.append(.literal(rest.popFirst() ?? "\\"))
      case "[": tokens.append(takeSet(&rest) ?? .literal("["))
      default: tokens.append(.literal(scalar))
      }
    }
    return tokens
  }

  /// Parses a set after its opening bracket.
  ///
  /// Returns `nil` if the set is never closed, in which case the bracket is literal.
  private static func takeSet(_ rest: inout Substring.UnicodeScalarView) -> Token? {
    var (ahead, ranges) = (rest, [ClosedRange<Unicode.Scalar>]())
    let isNegated = ahead.first == "!" || ahead.first == "^"
    if isNegated { ahead.removeFirst() }
    while let first = ahead.popFirst() {
      if first == "]", !ranges.isEmpty {
        rest = ahead
        return .set(ranges, isNegated: isNegated)
      }
      let low = first == "\\" ? ahead.popFirst() ?? first : first
      guard ahead.first == "-", let high = ahead.dropFirst().first, high != "]" else {
        ranges.append(low...low)
        continue
      }
      ahead.removeFirst(2)
      // A reversed range matches nothing, but the set is no longer empty.
      ranges.append(low <= high ? low...high : "\u{0}"..."\u{0}")
    }
    return nil
  }
}
