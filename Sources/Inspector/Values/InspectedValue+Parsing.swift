public import Foundation
import StrictJSON

extension InspectedValue {
  /// Reads a JSON text, and keeps the notation of its numbers apart: `1.0` is no integer.
  ///
  /// - Parameters:
  ///   - json: The text.
  ///   - name: The name of the text in errors.
  /// - Throws: ``InspectorError`` if the text is not JSON, or if several members of an object have one name.
  public init(json: Data, name: String) throws(InspectorError) {
    do throws(TextProblem) {
      self = try Self.parse(json)
    } catch {
      throw .invalid(operation: "Read \(name)", reason: "\(error)")
    }
  }

  /// Reads a JSON text.
  ///
  /// If several members of an object have one name, the text is refused.
  static func parse(_ text: Data) throws(TextProblem) -> InspectedValue {
    try [UInt8](text).withUnsafeBufferPointer { bytes throws(TextProblem) in
      try JSONReader.read(bytes) { reader throws(TextProblem) in
        var builder = ValueBuilder()
        try reader.visit(&builder)
        return builder.value
      }
    }
  }
}

/// A builder that creates a value from the parts of a text, and keeps every digit of a number.
private struct ValueBuilder: JSONVisitor {
  private(set) var value = InspectedValue.null
  private var open: [OpenValue] = []

  /// An object or array whose end has not been read yet.
  private struct OpenValue {
    let isObject: Bool
    var elements: [InspectedValue] = []
    var members: [String: InspectedValue] = [:]
    var names = NameList()
    var name = ""
  }

  mutating func scalar(_ reader: inout JSONReader) throws(TextProblem) {
    if let (text, isInteger) = try reader.numberText() { return append(Self.number(text, isInteger: isInteger)) }
    switch try reader.scalar() {
    case .string(let text): append(.string(text))
    case .bool(let value): append(.bool(value))
    default: append(.null)
    }
  }

  private static func number(_ text: String, isInteger: Bool) -> InspectedValue {
    if isInteger { return Int(text).map { .integer($0) } ?? .longNumber(text) }
    guard let number = Double(text), number.isFinite else { return .longNumber(text) }
    return .number(number)
  }

  mutating func enter(_ end: UInt8, _ reader: JSONReader) {
    open.append(OpenValue(isObject: end == JSONByte.closingBrace))
  }

  mutating func element(of end: UInt8, isFirst: Bool, _ reader: inout JSONReader) throws(TextProblem) {
    guard end == JSONByte.closingBrace else { return }
    let offset = reader.index
    let name = try reader.name()
    try open[open.count - 1].names.insert(name, at: offset, in: reader)
    open[open.count - 1].name = name
  }

  mutating func leave(_ end: UInt8, isEmpty: Bool, _ reader: JSONReader) {
    let closed = open.removeLast()
    append(closed.isObject ? .object(closed.members) : .array(closed.elements))
  }

  private mutating func append(_ value: InspectedValue) {
    let last = open.count - 1
    if last < 0 {
      self.value = value
    } else if open[last].isObject {
      open[last].members[open[last].name] = value
    } else {
      open[last].elements.append(value)
    }
  }
}

@available(*, unavailable)
extension ValueBuilder: Sendable {}
