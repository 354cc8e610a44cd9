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

  /// The columns of properties that cannot be found by decoding invented rows; by default, there are none.
  ///
  /// A query finds the column of each property by itself; see ``Column``. List all properties that queries use if the
  /// model rejects invented rows, and those whose decoding changes the value:
  ///
  /// ```swift
  /// import Stores
  ///
  /// struct Account: StoreModel {
  ///   static let table = TableSpec(
  ///     "account", columns: [TableColumn("id", .integer), TableColumn("name", .text)])
  ///   static var columnNames: [PartialKeyPath<Account>: String] { [\.name: "name"] }
  ///
  ///   struct Nameless: Error {}
  ///   var id: Int
  ///   var name: String
  ///
  ///   init(from decoder: any Decoder) throws {
  ///     let container = try decoder.container(keyedBy: CodingKeys.self)
  ///     id = try container.decode(Int.self, forKey: .id)
  ///     name = try container.decode(String.self, forKey: .name)
  ///     if !name.hasPrefix("@") { throw Nameless() }
  ///   }
  /// }
  ///
  /// print(Account.where { $0.name == "@ada" })  // Prints "SELECT * FROM account WHERE name = '@ada'"
  /// ```
  ///
  /// Each property must encode to exactly the value of its column. This is not checked.
  static var columnNames: [PartialKeyPath<Self>: String] { get }

  /// The relations that are checked when a database with the model is opened; by default, there are none.
  ///
  /// A relation that is not listed works too. If one of its properties is not a column, reading it throws the error.
  static var relations: [any ModelRelation] { get }
}

extension StoreModel {
  /// No key paths are listed.
  public static var columnNames: [PartialKeyPath<Self>: String] { [:] }

  /// No relations are listed.
  public static var relations: [any ModelRelation] { [] }

  /// The columns of the table: the ones listed in ``table``, or otherwise the ones that the type decodes.
  ///
  /// - Complexity: O(1) after the first call.
  public static var columns: [TableColumn] {
    get throws(ModelError) { try ModelLayout.of(Self.self).columns }
  }
}
