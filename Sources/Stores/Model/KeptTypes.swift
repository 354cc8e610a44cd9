public import Foundation

extension Date: SQLiteConvertible {
  /// The seconds since the reference date, 1 January 2001: exactly what a `Date` is.
  ///
  /// SQL's functions for dates want the seconds since 1970, which are 978307200 more.
  public var sqliteValue: SQLiteValue { .real(timeIntervalSinceReferenceDate) }
}

extension URL: SQLiteConvertible {
  /// The text of the URL.
  public var sqliteValue: SQLiteValue { .text(absoluteString) }
}

extension Decimal: SQLiteConvertible {
  /// The number as text, which keeps all its digits; it does not sort as numbers do.
  public var sqliteValue: SQLiteValue { .text(description) }
}

extension SQLiteConvertible where Self: RawRepresentable, RawValue: SQLiteConvertible {
  /// The raw value.
  public var sqliteValue: SQLiteValue { rawValue.sqliteValue }
}
