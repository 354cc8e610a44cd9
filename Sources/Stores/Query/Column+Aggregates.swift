/// A number that SQLite can add without losing digits.
public protocol SQLiteNumber: SQLiteOrdered {
  /// The type of sums: `Int` for integers, `Double` for floating-point numbers.
  associatedtype Sum: Decodable & Sendable & ExpressibleByIntegerLiteral
}

extension SQLiteNumber where Self: BinaryInteger {
  /// Integers are added as `Int`.
  public typealias Sum = Int
}

extension Int: SQLiteNumber {}
extension Int8: SQLiteNumber {}
extension Int16: SQLiteNumber {}
extension Int32: SQLiteNumber {}
extension Int64: SQLiteNumber {}
extension UInt: SQLiteNumber {}
extension UInt8: SQLiteNumber {}
extension UInt16: SQLiteNumber {}
extension UInt32: SQLiteNumber {}
extension UInt64: SQLiteNumber {}

extension SQLiteNumber where Self: BinaryFloatingPoint {
  /// Floating-point numbers are added as `Double`.
  public typealias Sum = Double
}

extension Double: SQLiteNumber {}
extension Float: SQLiteNumber {}

extension Optional: SQLiteNumber where Wrapped: SQLiteNumber {
  /// Rows without a value are ignored.
  public typealias Sum = Wrapped.Sum
}

extension Column {
  /// Returns the number of rows with a value in the column.
  public func count() -> Aggregate<Model, Int> { Aggregate(.count, reference) }

  /// Returns the number of different values in the column.
  public func distinctCount() -> Aggregate<Model, Int> { Aggregate(.distinctCount, reference) }
}

extension Column where Value: SQLiteNumber {
  /// Returns the sum of the column, which is 0 if there are no values.
  ///
  /// If a sum of integers exceeds `Int`, or a sum of floating-point numbers is not a number, reading it throws
  /// ``DatabaseError``.
  public func sum() -> Aggregate<Model, Value.Sum> { Aggregate(.sum, reference) }

  /// Returns the average of the column, or `nil` if there are no values, or both infinities are among them.
  public func average() -> Aggregate<Model, Double?> { Aggregate(.average, reference) }
}

extension Column where Value: SQLiteOrdered, Value.Present: Decodable {
  /// Returns the smallest value in the column, or `nil` if there are no values.
  public func min() -> Aggregate<Model, Value.Present?> { Aggregate(.min, reference) }

  /// Returns the largest value in the column, or `nil` if there are no values.
  public func max() -> Aggregate<Model, Value.Present?> { Aggregate(.max, reference) }
}
