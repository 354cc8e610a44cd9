import Foundation
import StrictJSON

/// Encodes the property list values of `UserDefaults` in the same way as `JSONEncoder`.
enum PropertyListText {
  /// The reason why a value cannot be written.
  struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  /// Returns the JSON text of a value, in the layout of a member.
  static func json(_ object: Any) throws -> Data {
    // Inside an array, because some versions of Foundation do not write a single value.
    let array = try JSONSerialization.data(withJSONObject: [try plain(object)], options: .withoutEscapingSlashes)
    return try JSONReader.memberText(of: array.dropFirst().dropLast())
  }

  /// Returns the value as an object that JSON can represent.
  private static func plain(_ object: Any) throws -> Any {
    switch object {
    case let string as String: return string
    case let data as Data: return data.base64EncodedString()
    case let date as Date: return date.timeIntervalSinceReferenceDate
    case let array as [Any]: return try array.map(plain)
    case let dictionary as [String: Any]: return try dictionary.mapValues(plain)
    case let number as NSNumber:
      guard number.doubleValue.isFinite else {
        throw Refusal(description: "JSON cannot represent the number \(number)")
      }
      return number
    default: throw Refusal(description: "JSON cannot represent a value of type \(type(of: object))")
    }
  }
}
