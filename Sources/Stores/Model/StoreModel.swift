/// A value that a ``Database`` keeps as a row of a table.
///
/// Any `Codable` and `Identifiable` value is one, once it names its table:
///
/// ```swift
/// import Foundation
/// import Stores
///
/// struct Person: StoreModel, Equatable {
///   static let table = TableSpec("person", indexes: ["age"], unique: ["email"])
///
///   var id: UUID
///   var name: String
///   var age: Int
///   var email: String?
/// }
///
/// for column in try Person.columns {
///   print(column)
/// }
/// // Prints "id TEXT NOT NULL"
/// // Prints "name TEXT NOT NULL"
/// // Prints "age INTEGER NOT NULL"
/// // Prints "email TEXT"
/// ```
///
/// ### Which column a property becomes
///
/// The columns are those that the type decodes, under the names of its coding keys; see ``ColumnType`` for what is kept
/// how. They are found by decoding the type once from a source that makes values up. A type that refuses made-up
/// values, because it has a required enumeration that is not `CaseIterable`, say, or an initializer that validates,
/// lists its columns in ``table``; ``ModelError/columnsNotInferable(table:column:reason:)`` names the culprit.
///
/// The column of the key is called `id`, unless the table says otherwise.
public protocol StoreModel: Codable, Identifiable, Sendable where ID: StoreKey {
  /// The name of the table, its indexes, and its columns if they cannot be inferred.
  static var table: TableSpec { get }
}

extension StoreModel {
  /// The columns of the table: those that ``table`` lists, or else those that the type decodes.
  ///
  /// - Complexity: O(1) after the first call.
  public static var columns: [TableColumn] {
    get throws(ModelError) { try ModelLayout.of(Self.self).columns }
  }
}
