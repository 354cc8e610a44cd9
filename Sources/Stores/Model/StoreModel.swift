/// A type whose values a ``Database`` stores as rows of a table.
///
/// Any `Codable` and `Identifiable` type can be a model, once it specifies its table:
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
/// ### Columns
///
/// The columns are the ones that the type decodes, with the names of its coding keys. ``ColumnType`` describes how each
/// type is stored. The columns are inferred by decoding the type once from invented values. Some types reject invented
/// values, for example because of a required enumeration that is not `CaseIterable`, or because of an initializer that
/// validates. Such a type must list its columns in ``table``. Otherwise
/// ``ModelError/columnsNotInferable(table:column:reason:)`` reports the column.
///
/// The column of the key is `id`, unless the table specifies another one.
public protocol StoreModel: Codable, Identifiable, Sendable where ID: StoreKey {
  /// The name of the table, its indexes, and its columns if they cannot be inferred.
  static var table: TableSpec { get }
}

extension StoreModel {
  /// The columns of the table: the ones listed in ``table``, or otherwise the ones that the type decodes.
  ///
  /// - Complexity: O(1) after the first call.
  public static var columns: [TableColumn] {
    get throws(ModelError) { try ModelLayout.of(Self.self).columns }
  }
}
