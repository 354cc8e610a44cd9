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
