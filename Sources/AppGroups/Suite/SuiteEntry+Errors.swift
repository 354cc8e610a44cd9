import FileSignals
import Foundation

extension SuiteEntry {
  /// Returns the value as a type, or `nil` if it is `null` and the type cannot represent that.
  func item<Item: Decodable & Sendable>(
    as type: Item.Type, key: String, url: URL
  ) throws(AppGroupsFileError) -> Item? {
    switch content(as: type) {
    case .item(let item): return item
    case .unreadable where isNull: return nil
    case .unreadable(let reason):
      throw .undecodableValue(url, key: key, type: String(describing: type), reason: reason)
    }
  }

  /// Encodes a value.
  static func encoding<Item: Encodable>(
    _ item: Item, key: String, url: URL
  ) throws(AppGroupsFileError) -> SuiteEntry {
    do {
      return try encoding(item, for: ExactString(key))
    } catch {
      throw .unencodableValue(
        url, key: key, type: String(describing: type(of: item)), reason: CodingReason.words(for: error))
    }
  }
}
