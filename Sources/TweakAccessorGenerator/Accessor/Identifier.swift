/// Swift names for names in JSON.
enum Identifier {
  /// Returns the name that JustTweak generates: `display_red_view` becomes `displayRedView`.
  ///
  /// Characters that a name cannot contain separate words, as an underscore does.
  ///
  /// - Returns: The name, or `nil` if the text contains no valid character.
  static func camelCased(_ text: String) -> String? {
    let words = text.unicodeScalars.split { $0 == "_" || !canContinue($0) }.map { String($0) }
    guard let first = words.first else { return nil }
    let name = first.prefix(1).lowercased() + first.dropFirst() + words.dropFirst().map(capitalised).joined()
    guard let head = name.unicodeScalars.first, canBegin(head) else { return "_" + name }
    return name
  }

  private static func capitalised(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }

  /// Returns whether a text is a name, possibly one that needs backticks.
  static func isValid(_ text: String) -> Bool {
    guard let head = text.unicodeScalars.first, canBegin(head) else { return false }
    return text.unicodeScalars.allSatisfy(canContinue) && text.contains { $0 != "_" }
  }

  /// Returns the name for a declaration, with backticks if they are needed.
  static func declared(_ name: String) -> String { keywords.contains(name) || !isValid(name) ? "`\(name)`" : name }

  /// Returns the name for the declaration of a static member.
  ///
  /// The language reserves two names.
  static func member(_ name: String) -> String { ["Protocol", "Type"].contains(name) ? "_" + name : declared(name) }

  /// Returns whether a text is a valid raw name between backticks.
  ///
  /// The language reserves names that begin with a dollar sign.
  static func isValidRaw(_ text: String) -> Bool {
    let forbidden: Set<Unicode.Scalar> = ["`", "\\", "\r", "\n"]
    return text.unicodeScalars.first != "$" && text.unicodeScalars.contains(where: canContinue)
      && text.unicodeScalars.allSatisfy { !forbidden.contains($0) && isPrintable($0) }
  }

  /// Returns whether a character is visible and does not move others.
  static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    case .spaceSeparator: scalar == " "
    default: true
    }
  }

  private static func canBegin(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || (scalar.isASCII ? scalar.properties.isAlphabetic : scalar.properties.isXIDStart)
  }

  private static func canContinue(_ scalar: Unicode.Scalar) -> Bool {
    canBegin(scalar) || (scalar.isASCII ? ("0"..."9").contains(scalar) : scalar.properties.isXIDContinue)
  }

  /// The words that need backticks in some place.
  private static let keywords: Set<String> = [
    "Any", "Protocol", "Self", "Type", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue",
    "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
    "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator",
    "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct",
    "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
  ]
}
