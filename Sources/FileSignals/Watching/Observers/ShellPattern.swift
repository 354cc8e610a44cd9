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
