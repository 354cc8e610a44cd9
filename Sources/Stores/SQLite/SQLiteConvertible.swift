public import Foundation

/// A type whose values can be arguments of a statement.
///
/// Conform your own types to use them in SQL. Arguments are bound to parameters and never become part of a statement's
/// text, so no content can change what the statement does.
public protocol SQLiteConvertible: Sendable {
  /// The value that SQLite stores.
  var sqliteValue: SQLiteValue { get }
}

extension SQLiteValue: SQLiteConvertible {
  /// The value itself.
  public var sqliteValue: SQLiteValue { self }
}

// The numbers conform because they are also a `SQLiteNumber`.

extension SQLiteConvertible where Self: BinaryInteger {
  /// The number as an integer, or as a floating-point number if it is outside the range of `Int64`.
  public var sqliteValue: SQLiteValue { Int64(exactly: self).map(SQLiteValue.integer) ?? .real(Double(self)) }
}

extension Bool: SQLiteConvertible {
  /// 1 for `true` and 0 for `false`.
  public var sqliteValue: SQLiteValue { .integer(self ? 1 : 0) }
}

extension SQLiteConvertible where Self: BinaryFloatingPoint {
  /// The number.
  public var sqliteValue: SQLiteValue { .real(Double(self)) }
}

extension SQLiteConvertible where Self: StringProtocol {
  /// The text.
  public var sqliteValue: SQLiteValue { .text(String(self)) }
}

extension String: SQLiteConvertible {}
extension Substring: SQLiteConvertible {}

extension Data: SQLiteConvertible {
  /// The bytes.
  public var sqliteValue: SQLiteValue { .blob(self) }
}

extension UUID: SQLiteConvertible {
  /// The identifier as text in capital letters, like `uuidString`.
  public var sqliteValue: SQLiteValue { .text(uuidString) }
}

extension Date: SQLiteConvertible {
  /// The seconds since the reference date, 1 January 2001, which is exactly the value of a `Date`.
  ///
  /// SQL's date functions use the seconds since 1970, which are 978307200 more.
  public var sqliteValue: SQLiteValue { .real(timeIntervalSinceReferenceDate) }
}

extension URL: SQLiteConvertible {
  /// The text of the URL.
  public var sqliteValue: SQLiteValue { .text(absoluteString) }
}

extension Decimal: SQLiteConvertible {
  /// The number as text, with all its digits.
  ///
  /// A ``Query`` compares and sorts the ``ColumnType/decimal`` columns of a model as numbers. Plain SQL compares them
  /// as text, unless the expression specifies `COLLATE signals_decimal`.
  public var sqliteValue: SQLiteValue { .text(description) }
}

extension Optional: SQLiteConvertible where Wrapped: SQLiteConvertible {
  /// The wrapped value, or NULL.
  public var sqliteValue: SQLiteValue { self?.sqliteValue ?? .null }
}

extension SQLiteConvertible where Self: RawRepresentable, RawValue: SQLiteConvertible {
  /// The raw value.
  public var sqliteValue: SQLiteValue { rawValue.sqliteValue }
}

/// A type whose values SQLite sorts in the same order as Swift.
///
/// Columns of such types can be compared with `<` and `>=` in a ``Query``. Your own type can conform if its raw values
/// have the order that you want:
///
/// ```swift
/// import Stores
///
/// enum Priority: Int, Codable, CaseIterable, SQLiteOrdered {
///   case low, normal, high
/// }
///
/// struct Chore: StoreModel {
///   static let table = TableSpec("chore")
///   var id: Int
///   var priority: Priority
/// }
///
/// print(Chore.where { $0.priority >= .normal })  // Prints "SELECT * FROM chore WHERE priority >= 1"
/// ```
///
/// Text is ordered by its UTF-8 bytes.
public protocol SQLiteOrdered: SQLiteConvertible {
  /// The type of the values that are not `nil`: the wrapped type of an optional, and otherwise the type itself.
  associatedtype Present: SQLiteOrdered = Self
}

// The numbers conform because they are also a `SQLiteNumber`.

extension String: SQLiteOrdered {}
extension Date: SQLiteOrdered {}
extension Decimal: SQLiteOrdered {}
extension UUID: SQLiteOrdered {}

extension Optional: SQLiteOrdered where Wrapped: SQLiteOrdered {
  /// The type of the values that are not `nil`.
  public typealias Present = Wrapped.Present
}
