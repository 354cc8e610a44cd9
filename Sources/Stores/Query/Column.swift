/// The column of a property, in the closures of a query.
///
/// ```swift
/// import Foundation
/// import Stores
///
/// struct Chore: StoreModel {
///   static let table = TableSpec("chore")
///   var id: UUID
///   var title: String
///   var points: Int
///   var due: Date?
///   var finished: Date?
/// }
///
/// print(Chore.where { $0.points > 3 && $0.due == nil })
/// // Prints "SELECT * FROM chore WHERE points > 3 AND due IS NULL"
/// print(Chore.where { $0.title.hasPrefix("Paint") || $0.points.isIn([1, 5]) })
/// // Prints "SELECT * FROM chore WHERE title GLOB 'Paint*' OR points IN (1, 5)"
/// print(Chore.where { $0.finished.isLess(than: $0.due) }.ordered(.descending) { $0.points })
/// // Prints "SELECT * FROM chore WHERE finished < due ORDER BY points DESC"
/// ```
///
/// A property that does not exist, or a value of another type, does not compile. If a closure with many conditions
/// takes long to compile, write one condition per line.
///
/// ### Properties that are not columns
///
/// A key path is checked when it is first used, by decoding the model from invented rows. The property must have
/// exactly the value of one column in all of them. A computed property such as `name.uppercased()` is therefore not a
/// column, and a query that names it throws ``ModelError/notAColumn(table:keyPath:reason:)``. If a model cannot be
/// decoded from invented rows, list its properties in ``StoreModel/columnNames``.
public struct Column<Model: StoreModel, Value>: Sendable {
  // It is not Equatable, because `==` returns a condition.

  @usableFromInline let reference: ColumnReference

  @usableFromInline
  init(_ reference: ColumnReference) {
    self.reference = reference
  }
}

extension Column where Value: SQLiteConvertible {
  /// Returns a condition that the column equals a value; `nil` equals `nil`.
  @inlinable
  public static func == (column: Self, value: Value) -> Condition<Model> { column.compared(.equal, value) }

  /// Returns a condition that the column differs from a value; `nil` differs from all other values.
  @inlinable
  public static func != (column: Self, value: Value) -> Condition<Model> { column.compared(.notEqual, value) }

  /// Returns a condition that the column has one of several values.
  ///
  /// If `nil` is one of them, it includes rows without a value.
  @inlinable
  public func isIn(_ values: [Value]) -> Condition<Model> {
    Condition(.membership(reference, values.map(\.sqliteValue)))
  }

  /// Returns a condition that the column equals another column; `nil` equals `nil`.
  @inlinable
  public func isEqual(to other: Self) -> Condition<Model> { Condition(.columns(reference, .equal, other.reference)) }

  @inlinable
  func compared(_ comparison: QueryComparison, _ value: some SQLiteConvertible) -> Condition<Model> {
    Condition(.comparison(reference, comparison, value.sqliteValue))
  }
}

extension Column where Value: SQLiteOrdered {
  /// Returns a condition that the column is less than a value.
  @inlinable
  public static func < (column: Self, value: Value) -> Condition<Model> { column.compared(.less, value) }

  /// Returns a condition that the column is less than a value or equal to it.
  @inlinable
  public static func <= (column: Self, value: Value) -> Condition<Model> { column.compared(.lessOrEqual, value) }

  /// Returns a condition that the column is greater than a value.
  @inlinable
  public static func > (column: Self, value: Value) -> Condition<Model> { column.compared(.greater, value) }

  /// Returns a condition that the column is greater than a value or equal to it.
  @inlinable
  public static func >= (column: Self, value: Value) -> Condition<Model> { column.compared(.greaterOrEqual, value) }

  /// Returns a condition that the column is less than another column.
  @inlinable
  public func isLess(than other: Self) -> Condition<Model> { Condition(.columns(reference, .less, other.reference)) }

  /// Returns a condition that the column is less than another column or equal to it.
  @inlinable
  public func isLessThanOrEqualTo(_ other: Self) -> Condition<Model> {
    Condition(.columns(reference, .lessOrEqual, other.reference))
  }
}

extension Column where Value: SQLiteOrdered, Value.Present: Comparable {
  /// Returns a condition that the column is in a range that includes its upper bound; `nil` is in no range.
  @inlinable
  public func isIn(_ range: ClosedRange<Value.Present>) -> Condition<Model> {
    compared(.greaterOrEqual, range.lowerBound) && compared(.lessOrEqual, range.upperBound)
  }

  /// Returns a condition that the column is in a range without its upper bound; `nil` is in no range.
  @inlinable
  public func isIn(_ range: Range<Value.Present>) -> Condition<Model> {
    compared(.greaterOrEqual, range.lowerBound) && compared(.less, range.upperBound)
  }
}

extension Collection where Element: SQLiteConvertible {
  /// Returns a condition that a column has one of the elements, like ``Column/isIn(_:)-([Value])``.
  @inlinable
  public func contains<Model: StoreModel>(_ column: Column<Model, Element>) -> Condition<Model> {
    column.isIn(Array(self))
  }

  /// Returns a condition that a column has one of the elements; `nil` is none of them.
  @inlinable
  public func contains<Model: StoreModel>(_ column: Column<Model, Element?>) -> Condition<Model> {
    column.isIn(map(Optional.init))
  }
}

extension Range where Bound: SQLiteOrdered {
  /// Returns a condition that a column is in the range; `nil` is in no range.
  @inlinable
  public func contains<Model: StoreModel, Value: SQLiteOrdered>(
    _ column: Column<Model, Value>
  ) -> Condition<Model> where Value.Present == Bound {
    column.isIn(self)
  }
}

extension ClosedRange where Bound: SQLiteOrdered {
  /// Returns a condition that a column is in the range; `nil` is in no range.
  @inlinable
  public func contains<Model: StoreModel, Value: SQLiteOrdered>(
    _ column: Column<Model, Value>
  ) -> Condition<Model> where Value.Present == Bound {
    column.isIn(self)
  }
}

extension Column where Value: ExpressibleByNilLiteral {
  /// A condition that the column has no value, for properties that cannot be compared with `nil`, such as arrays.
  public var isNil: Condition<Model> { Condition(.comparison(reference, .equal, .null)) }
}

extension Column where Value: SQLiteText {
  /// Returns a condition that the column matches a pattern.
  ///
  /// In the pattern, `%` matches any text, `_` matches one character, and `\` escapes these three characters. ASCII
  /// letters match regardless of case. `nil` matches no pattern.
  public func like(_ pattern: String) -> Condition<Model> { Condition(.pattern(reference, pattern)) }

  /// Returns a condition that the column contains a string, compared byte by byte.
  public func contains(_ text: String) -> Condition<Model> { Condition(.part(reference, text)) }

  /// Returns a condition that the column begins with a string, compared byte by byte, whatever collation it has.
  ///
  /// An index of the column makes it fast, unless the column has a collation of your own.
  public func hasPrefix(_ prefix: String) -> Condition<Model> { Condition(.prefix(reference, prefix)) }
}

/// A type whose values SQLite stores as text that can be searched.
///
/// Columns of such types can be compared with patterns and prefixes in a ``Query``. Your own type can conform if it is
/// stored as text:
///
/// ```swift
/// import Stores
///
/// struct Tag: RawRepresentable, Codable, SQLiteText {
///   var rawValue: String
/// }
///
/// struct Photo: StoreModel {
///   static let table = TableSpec("photo")
///   var id: Int
///   var tag: Tag
/// }
///
/// print(Photo.where { $0.tag.hasPrefix("sea/") })  // Prints "SELECT * FROM photo WHERE tag GLOB 'sea/*'"
/// ```
public protocol SQLiteText: SQLiteConvertible {}

extension String: SQLiteText {}
extension Optional: SQLiteText where Wrapped: SQLiteText {}

/// The properties of a model as columns, in the closures of a query.
///
/// `$0.age` is the column of the property `age`. ``Column`` describes the conditions that it can form.
@dynamicMemberLookup
public struct Columns<Model: StoreModel>: Sendable {
  // Other public members would hide properties of the model with the same name.

  @usableFromInline
  init() {}

  /// Returns the column of a property.
  @inlinable
  public subscript<Value>(dynamicMember keyPath: any KeyPath<Model, Value> & Sendable) -> Column<Model, Value> {
    Column(KeyPathColumns.reference(to: keyPath))
  }

  /// Returns the column with a name that is known only at run time.
  ///
  /// An unknown name, and a value of another type than the column's, is reported when the query runs.
  ///
  /// - Parameters:
  ///   - name: The name of the column.
  ///   - type: The type of the values with which it is compared.
  /// - Returns: The column.
  public func named<Value>(_ name: String, as type: Value.Type = Value.self) -> Column<Model, Value> {
    Column(.named(name))
  }
}
