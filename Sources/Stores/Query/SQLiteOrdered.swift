public import Foundation

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
