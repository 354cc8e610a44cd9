import Foundation

/// Says in words why a value could not be encoded or decoded.
enum CodingReason {
  static func words(for error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      "there is no \"\(key.stringValue)\"" + place(context.codingPath)
    case DecodingError.valueNotFound(_, let context), DecodingError.typeMismatch(_, let context):
      sentence(context.debugDescription) + place(context.codingPath)
    case DecodingError.dataCorrupted(let context):
      sentence(context.debugDescription) + place(context.codingPath) + cause(context.underlyingError)
    case EncodingError.invalidValue(_, let context):
      sentence(context.debugDescription) + place(context.codingPath)
    default:
      String(describing: error)
    }
  }

  private static func place(_ path: [any CodingKey]) -> String {
    guard !path.isEmpty else { return "" }
    return " at " + path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
  }

  private static func cause(_ error: (any Error)?) -> String {
    guard let error = error as NSError?, let words = error.userInfo[NSDebugDescriptionErrorKey] else { return "" }
    return " (\(sentence("\(words)")))"
  }

  /// The text as a part of a longer sentence.
  private static func sentence(_ text: String) -> String {
    text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}
