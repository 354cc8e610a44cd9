/// The tokens of an SQL text, without white space and comments.
///
/// Texts with equal tokens mean the same, however they are spelled: `"Name"`, `name` and `[NAME]` are one name. SQLite
/// rewrites the texts that it stores when a table or column is renamed.
struct SQLTokens: Hashable {
  /// One token.
  struct Token: Hashable {
    /// The text: a name or keyword in lower case without quotation marks, a string with them, or one symbol.
    let text: String
    /// A Boolean value that indicates whether the token is a name in quotation marks, and therefore no keyword.
    var isQuoted = false
    /// The place of the token in the text.
    let start: String.Index

    static func == (left: Token, right: Token) -> Bool { left.text == right.text }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }

    func isKeyword(_ word: String) -> Bool { !isQuoted && text == word }
  }

  let tokens: [Token]

  init(_ tokens: some Sequence<Token>) {
    self.tokens = Array(tokens)
  }

  init(_ sql: String) {
    var tokens: [Token] = []
    // SQLite reads bytes. For a Swift string, a quotation mark with an accent after it is another character.
    var rest = Substring(sql).unicodeScalars
    while let first = rest.first {
      let start = rest.startIndex
      if first.properties.isWhitespace {
        rest.removeFirst()
      } else if rest.starts(with: "--".unicodeScalars) {
        rest = rest.drop { $0 != "\n" }
      } else if rest.starts(with: "/*".unicodeScalars) {
        rest =
          rest.dropFirst(2).firstRange(of: "*/".unicodeScalars).map { rest[$0.upperBound...] } ?? rest[rest.endIndex...]
      } else if first == "'" {
        tokens.append(Token(text: "'\(Self.quoted(&rest, by: "'"))'", start: start))
      } else if let end = Self.quotes[first] {
        tokens.append(Token(text: Self.quoted(&rest, by: end).lowercased(), isQuoted: true, start: start))
      } else if Self.isWord(first) {
        let word = rest.prefix(while: Self.isWord)
        tokens.append(Token(text: String(word).lowercased(), start: start))
        rest = rest.dropFirst(word.count)
      } else {
        tokens.append(Token(text: String(rest.removeFirst()), start: start))
      }
    }
    self.tokens = tokens
  }

  private static let quotes: [Unicode.Scalar: Unicode.Scalar] = ["\"": "\"", "`": "`", "[": "]"]

  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "$", ".": true
    default: !scalar.isASCII
    }
  }

  /// Removes a text in quotation marks, and returns its content.
  private static func quoted(_ rest: inout Substring.UnicodeScalarView, by end: Unicode.Scalar) -> String {
    rest.removeFirst()
    var content = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      if scalar == end {
        guard end != "]", rest.first == end else { break }
        rest.removeFirst()
      }
      content.append(scalar)
    }
    return String(content)
  }

  // MARK: Parts

  /// Returns the tokens after the first ones.
  func dropFirst(_ count: Int) -> SQLTokens { SQLTokens(tokens.dropFirst(count)) }

  /// The elements of the list in the first parentheses, such as the columns and constraints of a table.
  var elements: [SQLTokens] {
    guard let start = tokens.firstIndex(where: { $0.isKeyword("(") }) else { return [] }
    return Self.content(of: tokens[start...]).split { $0.isKeyword(",") }
  }

  /// The expressions in the parentheses that follow a keyword outside of other parentheses.
  func expressions(after keyword: String) -> [SQLTokens] {
    var found: [SQLTokens] = []
    var index = tokens.startIndex
    while index < tokens.endIndex {
      if tokens[index].isKeyword("(") {
        index += Self.content(of: tokens[index...]).tokens.count + 2
        continue
      }
      if tokens[index].isKeyword(keyword), index + 1 < tokens.endIndex, tokens[index + 1].isKeyword("(") {
        found.append(Self.content(of: tokens[(index + 1)...]))
      }
      index += 1
    }
    return found
  }

  /// The names in a list.
  var names: [String] { tokens.filter { !$0.isKeyword(",") }.map(\.text) }

  /// Returns the token that follows a keyword outside of parentheses, if there is one.
  func token(after keyword: String) -> Token? {
    var depth = 0
    for (index, token) in tokens.enumerated() {
      if token.isKeyword("(") { depth += 1 }
      if token.isKeyword(")") { depth -= 1 }
      if depth == 0, token.isKeyword(keyword), index + 1 < tokens.count { return tokens[index + 1] }
    }
    return nil
  }

  /// Returns a Boolean value that indicates whether the keywords occur one after another.
  func contains(_ keywords: String...) -> Bool {
    tokens.indices.contains { start in
      start + keywords.count <= tokens.count
        && zip(keywords, tokens[start...]).allSatisfy { $1.isKeyword($0) }
    }
  }

  /// Returns a Boolean value that indicates whether a name occurs.
  func mentions(_ name: String) -> Bool {
    let name = name.lowercased()
    return tokens.contains { $0.text == name || $0.text.hasSuffix(".\(name)") }
  }

  /// Returns the tokens between the first parenthesis and the matching one.
  private static func content(of tokens: ArraySlice<Token>) -> SQLTokens {
    var depth = 0
    for (index, token) in zip(tokens.indices, tokens) {
      if token.isKeyword("(") { depth += 1 }
      if token.isKeyword(")") {
        depth -= 1
        if depth == 0 { return SQLTokens(tokens[(tokens.startIndex + 1)..<index]) }
      }
    }
    return SQLTokens(tokens.dropFirst())
  }

  /// Returns the parts between the tokens outside of parentheses that satisfy a predicate.
  private func split(where isSeparator: (Token) -> Bool) -> [SQLTokens] {
    var depth = 0
    var parts: [[Token]] = [[]]
    for token in tokens {
      if token.isKeyword("(") { depth += 1 }
      if token.isKeyword(")") { depth -= 1 }
      if depth == 0, isSeparator(token) { parts.append([]) } else { parts[parts.count - 1].append(token) }
    }
    return parts.map(SQLTokens.init)
  }
}

extension SQLTokens: CustomStringConvertible {
  var description: String { tokens.map(\.text).joined(separator: " ") }
}
