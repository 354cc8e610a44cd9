import Foundation

extension JSONScanner {
  /// What is wrong with a text that should be JSON, and where; `nil` if nothing is.
  static func failure(in text: Data) -> JSONSyntaxError? {
    do {
      _ = try place(of: [], in: text)
      return nil
    } catch {
      return error as? JSONSyntaxError
    }
  }

  /// The line and column of the value that a path leads to, both counted from 1, or `nil` if it leads nowhere.
  ///
  /// - Throws: ``JSONSyntaxError``.
  static func place(of path: [any CodingKey], in text: Data) throws -> JSONPlace? {
    // Sound: the scanner does not outlive the bytes.
    try text.withUnsafeBytes { bytes in
      var scanner = try JSONScanner(bytes.bindMemory(to: UInt8.self))
      var found: Int?
      scanner.skipSpace()
      try scanner.search(path[...], &found)
      try scanner.end()
      return found.map { JSONPlace(of: $0, in: scanner.bytes) }
    }
  }

  /// Reads a value, and notes where the one begins that a path leads to.
  private mutating func search(_ path: ArraySlice<any CodingKey>, _ found: inout Int?) throws(JSONSyntaxError) {
    let (first, rest) = (peek, path.dropFirst())
    if let key = path.first, first == JSONByte.openingBrace {
      try sequence(from: first, to: JSONByte.closingBrace) { scanner throws(JSONSyntaxError) in
        let start = scanner.index
        try scanner.string()
        let isOnTheWay = scanner.unescaped(start + 1..<scanner.index - 1) == key.stringValue
        try scanner.colon()
        if isOnTheWay { try scanner.search(rest, &found) } else { try scanner.value() }
      }
    } else if let position = path.first?.intValue, first == JSONByte.openingBracket {
      var count = 0
      try sequence(from: first, to: JSONByte.closingBracket) { scanner throws(JSONSyntaxError) in
        if count == position { try scanner.search(rest, &found) } else { try scanner.value() }
        count += 1
      }
    } else {
      if path.isEmpty { found = index }
      try value()
    }
    output.removeAll(keepingCapacity: true)
  }
}
