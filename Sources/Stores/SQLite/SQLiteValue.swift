import CSQLite
import FileSignals
public import Foundation

/// A value as SQLite stores it.
///
/// Statements take such values as arguments, and rows consist of them. You can write them as literals, and everything
/// that is ``SQLiteConvertible`` provides one:
///
/// ```swift
/// import Stores
///
/// let values: [SQLiteValue] = [1, 2.5, "three", true, nil]
/// print(values.map(\.description).joined(separator: ", "))
/// // Prints "1, 2.5, 'three', 1, NULL"
/// ```
///
/// Two values are equal if their types and contents are equal: the integer 1 does not equal the floating-point number
/// 1.0. Texts are compared by their bytes, as in SQLite. Swift strings, in contrast, can be equal with different bytes.
@frozen
public enum SQLiteValue: Sendable {
  /// NULL.
  case null
  /// An integer.
  ///
  /// Boolean values are stored as 0 and 1.
  case integer(Int64)
  /// A floating-point number.
  ///
  /// SQLite stores NaN as NULL.
  case real(Double)
  /// Text in UTF-8.
  case text(String)
  /// Any bytes.
  case blob(Data)

  /// A Boolean value that indicates whether the value is NULL.
  public var isNull: Bool { self == .null }

  /// The integer, or `nil` for any other type.
  public var int64Value: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// The number, or `nil` for any other type.
  ///
  /// Large integers are rounded.
  public var doubleValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    default: nil
    }
  }

  /// The text, or `nil` for any other type.
  public var stringValue: String? {
    if case .text(let value) = self { value } else { nil }
  }

  /// The bytes, or `nil` for any other type.
  public var dataValue: Data? {
    if case .blob(let value) = self { value } else { nil }
  }
}

extension SQLiteValue: Hashable {
  /// Returns a Boolean value that indicates whether type and content are equal.
  public static func == (left: SQLiteValue, right: SQLiteValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left == right
    case (.text(let left), .text(let right)): ExactString(left) == ExactString(right)
    case (.blob(let left), .blob(let right)): left == right
    default: false
    }
  }

  /// Adds type and content to a hasher.
  ///
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .integer(let value):
      hasher.combine(1)
      hasher.combine(value)
    case .real(let value):
      hasher.combine(2)
      hasher.combine(value)
    // Canonically equivalent texts have equal hashes, which is harmless because they seldom occur together.
    case .text(let value):
      hasher.combine(3)
      hasher.combine(value)
    case .blob(let value):
      hasher.combine(4)
      hasher.combine(value)
    }
  }
}

extension SQLiteValue: CustomStringConvertible {
  /// The value as an SQL literal; long values are not shortened.
  public var description: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): String(value)
    case .real(let value): String(value)
    case .text(let value): "'" + SQL.doubling("'", in: value) + "'"
    case .blob(let value): "x'" + value.hexadecimal + "'"
    }
  }
}

extension SQLiteValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  /// Creates an integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }

  /// Creates a floating-point number.
  public init(floatLiteral value: Double) { self = .real(value) }

  /// Creates a string value.
  public init(stringLiteral value: String) { self = .text(value) }

  /// Creates 1 for `true` and 0 for `false`.
  public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }

  /// Creates NULL.
  public init(nilLiteral: ()) { self = .null }
}

/// The destructor that makes SQLite copy a string or blob at once.
// Sound: this is SQLite's own constant, which is a marker and not a function.
private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

extension SQLiteValue {
  /// Creates a copy of a value that SQLite owns.
  init(_ cell: SQLiteCell) {
    self =
      switch cell.type {
      case SQLITE_INTEGER: .integer(cell.int64)
      case SQLITE_FLOAT: .real(cell.double)
      case SQLITE_TEXT: .text(cell.string)
      case SQLITE_BLOB: .blob(cell.data)
      default: .null
      }
  }

  /// Sets the result of an SQL function.
  static func setResult(of call: OpaquePointer?, to value: SQLiteValue) {
    switch value {
    case .null: sqlite3_result_null(call)
    case .integer(let value): sqlite3_result_int64(call, value)
    case .real(let value): sqlite3_result_double(call, value)
    case .text(var value):
      value.withUTF8 { bytes in
        // Sound: SQLite copies the bytes before it returns. An address is needed because an empty text is not NULL.
        bytes.withMemoryRebound(to: CChar.self) { characters in
          sqlite3_result_text64(
            call, characters.baseAddress ?? UnsafePointer(bitPattern: 1), UInt64(characters.count), transient,
            UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let value):
      value.withUnsafeBytes { bytes in
        // Sound: SQLite copies the bytes before it returns.
        bytes.isEmpty
          ? sqlite3_result_zeroblob(call, 0)
          : sqlite3_result_blob64(call, bytes.baseAddress, UInt64(bytes.count), transient)
      }
    }
  }
}
