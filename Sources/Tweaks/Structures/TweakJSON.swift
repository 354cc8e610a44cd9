import Foundation
import StrictJSON
import TweakFormat

/// A value of any structure, as JSON.
public struct TweakJSON: TweakPrimitive, Hashable, CustomStringConvertible {
  /// The JSON, without white space and with sorted names.
  public let text: String

  /// Creates a value from a text.
  ///
  /// - Parameter text: The text, which fails if it is not JSON.
  public init?(_ text: String) {
    guard let text = Self.canonical(text) else { return nil }
    self.text = text
  }

  /// Creates a value from a text that is known to be JSON, such as in generated code.
  ///
  /// - Parameter text: The text; if it is not JSON, the value is `null`.
  public init(verbatim text: String) {
    self.text = Self.canonical(text) ?? "null"
  }

  /// Creates a value from a string of JSON.
  ///
  /// - Parameter tweakValue: The value.
  public init?(tweakValue: TweakValue) {
    guard case .string(let text) = tweakValue else { return nil }
    self.init(text)
  }

  /// Creates JSON's `null`.
  public init() { self.init(verbatim: "null") }

  /// `true`.
  @inlinable
  public static var isTweakStructure: Bool { true }

  /// The JSON as a string.
  public var tweakValue: TweakValue { .string(text) }

  /// The JSON.
  public var description: String { text }

  /// Decodes the value as a type.
  ///
  /// - Parameter type: The type.
  /// - Returns: The decoded value.
  /// - Throws: `DecodingError`.
  public func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
    try JSONDecoder().decode(type, from: Data(text.utf8))
  }

  static func canonical(_ text: String) -> String? {
    do throws(TextProblem) {
      return try JSONReader.read(Array(text.utf8)).canonicalText(depth: TweakDocument.maximumDepth)
    } catch {
      return nil
    }
  }

  static func value(encoding value: some Encodable) -> TweakValue {
    do {
      let text = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
      return .string(canonical(text) ?? text)
    } catch {
      // NaN, for example, has no JSON. The empty text is refused by every later read.
      return .string("")
    }
  }
}
