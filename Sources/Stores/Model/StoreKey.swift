public import Foundation

/// What identifies a row: an integer, a text, or a UUID, which is kept as its text.
///
/// A type of your own that wraps one of these, and says so by `RawRepresentable`, needs no code:
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

  /// Makes a key of what its column holds; `nil` if that is not the key of any value.
  init?(sqliteValue: SQLiteValue)
}

extension Int64: StoreKey {
  /// An integer.
  public static var keyType: ColumnType { .integer }

  /// Makes a key of an integer.
  public init?(sqliteValue: SQLiteValue) {
    guard case .integer(let value) = sqliteValue else { return nil }
    self = value
  }
}

extension Int: StoreKey {
  /// An integer.
  public static var keyType: ColumnType { .integer }

  /// Makes a key of an integer.
  public init?(sqliteValue: SQLiteValue) {
    guard case .integer(let value) = sqliteValue else { return nil }
    self.init(exactly: value)
  }
}

extension String: StoreKey {
  /// A text.
  public static var keyType: ColumnType { .text }

  /// Makes a key of a text.
  public init?(sqliteValue: SQLiteValue) {
    guard case .text(let value) = sqliteValue else { return nil }
    self = value
  }
}

extension UUID: StoreKey {
  /// A text, in capitals.
  public static var keyType: ColumnType { .text }

  /// Makes a key of the text of a UUID.
  public init?(sqliteValue: SQLiteValue) {
    guard case .text(let value) = sqliteValue else { return nil }
    self.init(uuidString: value)
  }
}

extension StoreKey where Self: RawRepresentable, RawValue: StoreKey {
  /// The type of the raw value's column.
  public static var keyType: ColumnType { RawValue.keyType }

  /// Makes a key of a raw value.
  public init?(sqliteValue: SQLiteValue) {
    guard let rawValue = RawValue(sqliteValue: sqliteValue) else { return nil }
    self.init(rawValue: rawValue)
  }
}
