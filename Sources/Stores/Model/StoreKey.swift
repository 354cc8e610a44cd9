public import AppGroups
public import Foundation

/// A type that can identify a row: an integer, a string, a UUID, or the identity of an event in a log.
///
/// A UUID and the identity of an event are stored as text.
///
/// With an optional integer key, such as `var id: Int64?`, the database assigns the keys of new rows.
///
/// Your own type that wraps one of these needs no code if it conforms to `RawRepresentable`:
///
/// ```swift
/// import Stores
///
/// struct CityID: RawRepresentable, Codable, StoreKey {
///   var rawValue: Int64
/// }
///
/// print(CityID(rawValue: 7).sqliteValue)  // Prints "7"
/// ```
public protocol StoreKey: SQLiteConvertible, Hashable {
  /// The type of the key's column: ``ColumnType/integer`` or ``ColumnType/text``.
  static var keyType: ColumnType { get }

  /// Creates a key from the value of its column.
  ///
  /// Fails if the value is not a valid key.
  init?(sqliteValue: SQLiteValue)
}

extension StoreKey {
  /// ``ColumnType/text``, unless the key is an integer or wraps another key.
  public static var keyType: ColumnType { .text }
}

extension StoreKey where Self: FixedWidthInteger {
  /// ``ColumnType/integer``.
  public static var keyType: ColumnType { .integer }

  /// Creates a key from an integer.
  public init?(sqliteValue: SQLiteValue) {
    guard case .integer(let value) = sqliteValue else { return nil }
    self.init(exactly: value)
  }
}

extension Int64: StoreKey {}
extension Int: StoreKey {}

extension String: StoreKey {
  /// Creates a key from a string.
  public init?(sqliteValue: SQLiteValue) {
    guard case .text(let value) = sqliteValue else { return nil }
    self = value
  }
}

extension UUID: StoreKey {
  /// Creates a key from the text of a UUID, which is stored in capital letters.
  public init?(sqliteValue: SQLiteValue) {
    guard case .text(let value) = sqliteValue else { return nil }
    self.init(uuidString: value)
  }
}

extension LogEventID: StoreKey {
  /// The identity as text, like its `description`.
  public var sqliteValue: SQLiteValue { .text(description) }

  /// Creates a key from the text of an identity.
  public init?(sqliteValue: SQLiteValue) {
    guard case .text(let value) = sqliteValue else { return nil }
    self.init(value)
  }
}

extension StoreKey where Self: RawRepresentable, RawValue: StoreKey {
  /// The type of the raw value's column.
  public static var keyType: ColumnType { RawValue.keyType }

  /// Creates a key from a raw value.
  public init?(sqliteValue: SQLiteValue) {
    guard let rawValue = RawValue(sqliteValue: sqliteValue) else { return nil }
    self.init(rawValue: rawValue)
  }
}

/// An optional key, which is `nil` in a model whose row has not been inserted yet.
///
/// The database assigns the key when the row is inserted. Only integer keys can be assigned.
extension Optional: StoreKey where Wrapped: StoreKey {
  /// The type of the wrapped key's column.
  public static var keyType: ColumnType { Wrapped.keyType }

  /// Creates a key from the value of its column.
  public init?(sqliteValue: SQLiteValue) {
    if sqliteValue.isNull {
      self = .none
    } else if let key = Wrapped(sqliteValue: sqliteValue) {
      self = key
    } else {
      return nil
    }
  }
}

/// A key that may be `nil`.
protocol OptionalKey {}

extension Optional: OptionalKey where Wrapped: StoreKey {}
