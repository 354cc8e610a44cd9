/// Names in Swift for names in JSON.
enum Identifier {
  /// The name that JustTweak gives: `display_red_view` becomes `displayRedView`.
  ///
  /// Whatever no name can contain separates words, as the underscore does.
  ///
  /// - Returns: `nil` if there is nothing that a name can contain.
  static func camelCased(_ text: String) -> String? {
    let words = text.unicodeScalars.split { $0 == "_" || !canContinue($0) }.map { String($0) }
    guard let first = words.first else { return nil }
    let name = first.prefix(1).lowercased() + first.dropFirst() + words.dropFirst().map(capitalised).joined()
    guard let head = name.unicodeScalars.first, canBegin(head) else { return "_" + name }
    return name
  }

  private static func capitalised(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }

  /// Whether a text is a name, perhaps one that needs backticks.
  static func isValid(_ text: String) -> Bool {
    guard let head = text.unicodeScalars.first, canBegin(head) else { return false }
    return text.unicodeScalars.allSatisfy(canContinue) && text.contains { $0 != "_" }
  }

  /// The name as it is declared.
  static func declared(_ name: String) -> String { keywords.contains(name) || !isValid(name) ? "`\(name)`" : name }

  /// The name as a static member is declared, of which the language keeps two to itself.
  static func member(_ name: String) -> String { ["Protocol", "Type"].contains(name) ? "_" + name : declared(name) }

  /// Whether a text is a name between backticks, whatever it consists of.
  static func isValidRaw(_ text: String) -> Bool {
    let forbidden: Set<Unicode.Scalar> = ["`", "\\", "\r", "\n"]
    return text.unicodeScalars.contains(where: canContinue)
      && text.unicodeScalars.allSatisfy { !forbidden.contains($0) && isPrintable($0) }
  }

  /// Whether a character is one that is seen, and leaves others where they are.
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

  /// All words that are no names without backticks somewhere.
  private static let keywords: Set<String> = [
    "Any", "Protocol", "Self", "Type", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue",
    "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
    "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator",
    "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct",
    "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
  ]
}
