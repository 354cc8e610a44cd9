import FileSignals
package import Foundation
import StrictJSON

/// Describes why a value could not be encoded or decoded.
package enum CodingReason {
  /// Returns the reason, with line and column if the content is known and is JSON.
  ///
  /// - Parameters:
  ///   - error: The error that was thrown.
  ///   - json: The content, if it is meant to be JSON.
  /// - Returns: A clause without a period.
  package static func words(for error: any Error, in json: Data? = nil) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      return "the key \"\(key.stringValue)\" is missing" + place(context.codingPath, json)
    case DecodingError.valueNotFound(_, let context), DecodingError.typeMismatch(_, let context):
      return clause(context.debugDescription) + place(context.codingPath, json)
    case DecodingError.dataCorrupted(let context):
      if let json, let problem = problem(in: json) { return "it is not JSON: \(problem)" }
      // An error without a path is about a part that is not known.
      let place = context.codingPath.isEmpty ? "" : place(context.codingPath, json)
      return clause(context.debugDescription) + place + cause(context.underlyingError)
    case EncodingError.invalidValue(_, let context):
      return clause(context.debugDescription) + place(context.codingPath, nil)
    default:
      return clause(String(describing: error))
    }
  }

  private static func place(_ path: [any CodingKey], _ json: Data?) -> String {
    let names = path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
    return (path.isEmpty ? "" : " at \(names)") + (position(of: path, json).map { " on \($0)" } ?? "")
  }

  // Foundation's decoder accepts a comma before a closing bracket, so its errors are never about one.
  private static func problem(in json: Data) -> TextProblem? {
    json.withUnsafeBytes { JSONReader.problem(in: $0.bindMemory(to: UInt8.self), trailingCommas: .accepted) }
  }

  private static func position(of path: [any CodingKey], _ json: Data?) -> TextPosition? {
    guard let json else { return nil }
    // The decoder may accept more than our own reader.
    return tolerating(else: nil) {
      try json.withUnsafeBytes { bytes in
        try JSONReader.position(of: path, in: bytes.bindMemory(to: UInt8.self), trailingCommas: .accepted)
      }
    }
  }

  private static func cause(_ error: (any Error)?) -> String {
    guard let error = error as NSError?, let words = error.userInfo[NSDebugDescriptionErrorKey] else { return "" }
    return " (\(clause("\(words)")))"
  }
}
