public import Foundation
import StrictJSON

extension InspectedValue: Codable {
  /// A name of any member.
  struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private static let exactNumber = Name("$number")

  /// The integers that every JSON reader keeps.
  private static let safeIntegers = -9_007_199_254_740_991...9_007_199_254_740_991

  /// Decodes a value.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if there is no JSON value.
  public init(from decoder: any Decoder) throws {
    if let members = Self.members(in: decoder) {
      if members.allKeys.count == 1, members.allKeys[0].stringValue == Self.exactNumber.stringValue,
        let number = Self.number(try members.decode(String.self, forKey: Self.exactNumber))
      {
        self = number
        return
      }
      var object: [String: InspectedValue] = [:]
      for key in members.allKeys { object[key.stringValue] = try members.decode(InspectedValue.self, forKey: key) }
      self = .object(object)
    } else if var elements = Self.elements(in: decoder) {
      var array: [InspectedValue] = []
      while !elements.isAtEnd { array.append(try elements.decode(InspectedValue.self)) }
      self = .array(array)
    } else {
      self = try Self.scalar(try decoder.singleValueContainer())
    }
  }

  /// Returns the number with a notation in JSON, or `nil` if the text is no number.
  static func number(_ text: String) -> InspectedValue? {
    if let number = Int(text) { return .integer(number) }
    do throws(TextProblem) {
      let value = try parse(Data(text.utf8))
      return value.typeName == "number" ? value : nil
    } catch {
      return nil
    }
  }

  private static func members(in decoder: any Decoder) -> KeyedDecodingContainer<Name>? {
    do { return try decoder.container(keyedBy: Name.self) } catch { return nil }
  }

  private static func elements(in decoder: any Decoder) -> (any UnkeyedDecodingContainer)? {
    do { return try decoder.unkeyedContainer() } catch { return nil }
  }

  private static func scalar(_ container: any SingleValueDecodingContainer) throws -> InspectedValue {
    if container.decodeNil() { return .null }
    do { return .bool(try container.decode(Bool.self)) } catch {}
    do { return .integer(try container.decode(Int.self)) } catch {}
    do { return .number(try container.decode(Double.self)) } catch {}
    return .string(try container.decode(String.self))
  }

  /// Encodes the value.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let members):
      var container = encoder.container(keyedBy: Name.self)
      for (name, value) in members { try container.encode(value, forKey: Name(name)) }
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    case .integer(let number) where !Self.safeIntegers.contains(number):
      var container = encoder.container(keyedBy: Name.self)
      try container.encode("\(number)", forKey: Self.exactNumber)
    case .longNumber(let text):
      var container = encoder.container(keyedBy: Name.self)
      try container.encode(text, forKey: Self.exactNumber)
    default:
      var container = encoder.singleValueContainer()
      switch self {
      case .bool(let value): try container.encode(value)
      case .integer(let value): try container.encode(value)
      case .number(let value): try container.encode(value)
      case .string(let value): try container.encode(value)
      default: try container.encodeNil()
      }
    }
  }
}

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
