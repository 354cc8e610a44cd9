import Foundation

/// Fragments of SQL.
enum SQL {
  /// The prefix of the names of everything that this package creates in a database.
  static let ownPrefix = "signals_"

  /// The prefix of the names of indexes of models.
  static let indexPrefix = "signals_index "

  /// The collation that compares strings as decimal numbers, on every connection of this package.
  static let decimalCollation = "signals_decimal"

  /// The table that stores the fingerprints of the models' tables.
  static let schemaTable = "signals_schema"

  /// The table of the jobs of all work queues, whose changes are reported like those of an application's table.
  static let jobTable = "signals_job"

  /// Returns a quoted name, which may be any word.
  ///
  /// Double quotes are not used, because SQLite treats an unknown name in double quotes as a string literal. If another
  /// process has renamed the column, for example, every row would have the column's name as its value.
  static func name(_ name: String) -> String { "`\(doubling("`", in: name))`" }

  /// Returns a text in which each quotation mark is doubled.
  ///
  /// SQLite reads bytes. For a Swift string, a mark with an accent after it is another character.
  static func doubling(_ mark: Unicode.Scalar, in text: String) -> String {
    guard text.unicodeScalars.contains(mark) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar == mark { result.append(scalar) }
      result.append(scalar)
    }
    return String(result)
  }

  /// Returns a number of parameters, separated by commas.
  static func parameters(_ count: Int) -> String { String(repeating: "?, ", count: max(0, count - 1)) + "?" }

  /// Returns the text of a statement without its final semicolon; unchanged if another statement follows.
  static func withoutEnd(_ sql: String) -> String {
    guard sql.utf8.contains(UInt8(ascii: ";")) else { return sql }
    let end = SQLTokens(sql).tokens.reversed().prefix { $0.isKeyword(";") }.last?.start
    return end.map { String(sql[..<$0]) } ?? sql
  }

  /// Returns the reason why a string cannot be the name of a table or column.
  static func refusal(of name: String) -> String? {
    if name.isEmpty { return "it is empty" }
    if name.utf8.contains(0) { return "it contains a NUL character" }
    let lowercased = name.lowercased()
    if lowercased.hasPrefix("sqlite_") { return "SQLite reserves names with the prefix sqlite_" }
    if lowercased.hasPrefix(ownPrefix) { return "names with this prefix are reserved" }
    return nil
  }
}

extension SQL {
  /// The number of values from which an array is faster than parameters.
  private static let leastArrayCount = 9

  /// Returns values as a JSON array, or `nil` if there are few of them or JSON does not preserve them exactly.
  static func array(of values: [SQLiteValue]) -> String? {
    guard values.count >= leastArrayCount else { return nil }
    var text = "["
    for value in values {
      switch value {
      case .integer(let number): text += "\(number),"
      // SQLite ends a text of JSON at NUL.
      case .text(let string) where !string.utf8.contains(0): text += "\(quoted(string)),"
      default: return nil
      }
    }
    text.removeLast()
    return text + "]"
  }

  /// Returns a text as a JSON string.
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\u{0}"..<"\u{20}": quoted += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
