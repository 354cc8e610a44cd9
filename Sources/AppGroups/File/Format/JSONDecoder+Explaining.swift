import FileSignals
package import Foundation
import StrictJSON

extension JSONDecoder {
  /// Decodes a value, and completes an error about a value that its type cannot represent.
  ///
  /// `JSONDecoder` reports a number that does not fit as "not valid JSON", and some errors without the member that they
  /// are about. The error that this method throws names the member, the expected type and the value.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - data: The JSON text.
  /// - Returns: The value.
  /// - Throws: `DecodingError`, or the error that the type throws.
  /// - Complexity: After an error without a member, the text is decoded O(log *n*) times in its number of values.
  package func decodeExplaining<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    do {
      return try decode(type, from: data)
    } catch DecodingError.dataCorrupted(let context) {
      throw explanation(of: context, type, data)
    }
  }

  /// The size of a text in bytes above which no value is searched for.
  private static var searchLimit: Int { 1 << 20 }

  private func explanation<Value: Decodable>(
    of context: DecodingError.Context, _ type: Value.Type, _ data: Data
  ) -> DecodingError {
    let original = DecodingError.dataCorrupted(context)
    guard data.count <= Self.searchLimit else { return original }
    let scalars: [JSONScalar]
    do {
      scalars = try data.withUnsafeBytes { bytes in
        try JSONReader.scalars(in: bytes.bindMemory(to: UInt8.self), trailingCommas: .accepted)
      }
    } catch {
      // The text is not JSON, or the decoder accepts more than JSON.
      return original
    }
    if !context.codingPath.isEmpty {
      let path = context.codingPath.map { $0.intValue.map(JSONKey.init) ?? JSONKey(stringValue: $0.stringValue) }
      guard let scalar = scalars.last(where: { $0.path == path }) else { return original }
      return error(clause(context.debugDescription), scalar, in: data, context)
    }
    for (isCandidate, neutral, other): ((JSONScalar) -> Bool, String, String) in [
      ({ $0.isNumber }, "0", "\"\""), ({ $0.isString }, "\"1970-01-01T00:00:00Z\"", "0"),
    ] {
      let search = CulpritSearch(candidates: scalars.filter(isCandidate), neutral: neutral, text: data)
      let culprit = search.culprit { text in
        do {
          _ = try decode(type, from: text)
          return false
        } catch DecodingError.dataCorrupted(let found) {
          return found.codingPath.isEmpty && found.debugDescription == context.debugDescription
        } catch {
          return false
        }
      }
      guard let culprit else { continue }
      var reason = clause(context.debugDescription)
      do {
        _ = try decode(type, from: search.text(with: other, inPlaceOf: culprit))
      } catch DecodingError.typeMismatch(let expected, _) where neutral == "0" {
        reason = "Expected to decode \(expected)"
      } catch {
        // The type decodes the value in a way of its own.
      }
      if neutral == "0", reason.contains("JSON") { reason = "The number does not fit the type of the member" }
      return error(reason, search.candidates[culprit], in: data, context)
    }
    return original
  }

  private func error(
    _ reason: String, _ scalar: JSONScalar, in data: Data, _ context: DecodingError.Context
  ) -> DecodingError {
    let value = String(decoding: data.dropFirst(scalar.range.lowerBound).prefix(scalar.range.count), as: UTF8.self)
    let found = value.count > 60 ? value.prefix(60) + "…" : value[...]
    let description = reason.contains(found) ? reason : "\(reason) but found \(found)"
    return .dataCorrupted(
      DecodingError.Context(
        codingPath: scalar.path, debugDescription: description, underlyingError: context.underlyingError))
  }
}

/// A search for the value in a text that causes an error.
private struct CulpritSearch {
  let candidates: [JSONScalar]
  /// A value that causes no such error in the place of any candidate.
  let neutral: String
  let text: Data

  /// Returns the index of a candidate that causes an error, or `nil` if there is none.
  ///
  /// - Parameter fails: Returns a Boolean value that indicates whether a text causes the error.
  /// - Returns: The index.
  func culprit(_ fails: (Data) -> Bool) -> Int? {
    // With the first `low` candidates replaced there is the error, and with the first `high` there is not.
    var (low, high) = (0, candidates.count)
    guard high > 0, !fails(replacing(high)) else { return nil }
    while high - low > 1 {
      let middle = (low + high) / 2
      if fails(replacing(middle)) { low = middle } else { high = middle }
    }
    return low
  }

  /// Returns the text with another value in the place of a candidate, and neutral ones before it.
  func text(with other: String, inPlaceOf culprit: Int) -> Data { replacing(culprit, and: other) }

  private func replacing(_ count: Int, and other: String? = nil) -> Data {
    var result = Data()
    var end = 0
    for (index, candidate) in candidates.prefix(other == nil ? count : count + 1).enumerated() {
      result += text.dropFirst(end).prefix(candidate.range.lowerBound - end)
      result += Data((index == count ? other ?? neutral : neutral).utf8)
      end = candidate.range.upperBound
    }
    return result + text.dropFirst(end)
  }
}

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
