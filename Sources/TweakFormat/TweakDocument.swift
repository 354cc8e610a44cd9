package import StrictJSON

/// A parsed file of tweaks, which contains features with their variables.
///
/// The format is JustTweak's: `{ "<feature>": { "<variable>": { "Title": …, "Value": … } } }`.
package struct TweakDocument: Sendable {
  /// The value of a variable.
  package enum Value: Sendable, Hashable {
    case bool(Bool)
    case int(Int)
    case double(Double)
    case string(String)
  }

  /// A variable with its fields.
  package struct Variable: Sendable {
    package let feature: String
    package let name: String

    /// The offset of the name.
    package let offset: Int

    package internal(set) var value: Value
    package var title: String?
    package var details: String?
    package var group: String?
    package var propertyName: String?

    /// The offset of the name for the accessor.
    package var propertyNameOffset: Int?

    package var isEncrypted = false

    /// The range of the value in the text, if it is an object or a list.
    ///
    /// The value is then a string of JSON.
    package internal(set) var structure: Range<Int>?
  }

  /// The features by name, each with its variables by name; a feature may have none.
  package let features: [String: [String: Variable]]

  /// The maximum number of nested objects and lists in a value, and the maximum number of its bytes.
  package static let maximumDepth = 64
  package static let maximumSize = 256 << 10

  /// Parses a text.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - problems: The problems found, to which this appends in the order of the text.
  /// - Returns: The readable part, or `nil` if the text is not JSON.
  package static func read(_ bytes: [UInt8], problems: inout [TextProblem]) -> TweakDocument? {
    var variables = VariableList()
    let names = bytes.withUnsafeBufferPointer { read($0, into: &variables, problems: &problems) }
    guard let names else { return nil }
    var features = Dictionary(uniqueKeysWithValues: names.map { ($0, [String: Variable]()) })
    for variable in variables.all { features[variable.feature]?[variable.name] = variable }
    return TweakDocument(features: features)
  }

  private struct VariableList: TweakDocumentBuilder {
    var all: [Variable] = []

    mutating func take(_ variable: Variable, to end: Int, isSound: Bool) { all.append(variable) }
  }

  /// Parses a text, and passes its variables to a builder.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - builder: The builder. It receives the variables in the order of the text, until the text turns out not to be
  ///     JSON.
  ///   - problems: The problems found, to which this appends in the order of the text.
  /// - Returns: The names of the features in the order of the text, or `nil` if the text is not JSON.
  package static func read<Builder: TweakDocumentBuilder>(
    _ bytes: UnsafeBufferPointer<UInt8>, into builder: inout Builder, problems: inout [TextProblem]
  ) -> [String]? {
    var reader = TweakDocumentReader(bytes: bytes, builder: builder)
    do throws(TextProblem) {
      try JSONReader.read(bytes) { json throws(TextProblem) in try reader.document(&json) }
    } catch {
      problems.append(error)
      return nil
    }
    builder = reader.builder
    problems += reader.problems.sorted { $0.position < $1.position }
    return reader.featureNames
  }
}

/// A builder that processes the variables of a file of tweaks.
package protocol TweakDocumentBuilder {
  /// Processes a variable.
  ///
  /// - Parameters:
  ///   - variable: The variable.
  ///   - end: The offset of the byte that follows it.
  ///   - isSound: A Boolean value that indicates whether there were no problems.
  mutating func take(_ variable: TweakDocument.Variable, to end: Int, isSound: Bool)

  /// Processes a variable at an offset that is known from an earlier text, byte by byte.
  ///
  /// - Parameters:
  ///   - offset: The offset of its name.
  ///   - feature: The feature.
  /// - Returns: The name, and the offset of the byte that follows the variable, or `nil` to have it parsed.
  mutating func takeKnown(at offset: Int, in feature: String) -> (name: String, end: Int)?
}

extension TweakDocumentBuilder {
  package mutating func takeKnown(at offset: Int, in feature: String) -> (name: String, end: Int)? { nil }
}

extension TweakDocument.Value {
  /// Creates a value from JSON, or returns `nil` if the JSON is not a value of a tweak.
  ///
  /// - Parameters:
  ///   - node: The JSON.
  ///   - isWide: A Boolean value that indicates whether a whole number becomes a Double, which is not possible for
  ///     every number.
  package init?(_ node: JSONNode, isWide: Bool) {
    switch node.content {
    case .bool(let value): self = .bool(value)
    case .double(let value): self = .double(value)
    case .string(let value): self = .string(value)
    case .int(let value) where !isWide: self = .int(value)
    case .int(let value):
      guard let exact = Double(exactly: value) else { return nil }
      self = .double(exact)
    case .null, .array, .object: return nil
    }
  }
}
