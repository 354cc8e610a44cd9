/// Any JSON.
indirect enum JSONValue: Codable, Sendable, Hashable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // JSON has no types to ask for, so one tries; what fits none fails with the last error.
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let values): try container.encode(values)
    case .object(let members): try container.encode(members)
    }
  }
}

extension JSONValue: CustomStringConvertible {
  /// The value on one line, with members in the order of their names.
  var description: String {
    switch self {
    case .null: "null"
    case .bool(let value): String(value)
    case .integer(let value): String(value)
    case .number(let value): String(value)
    case .string(let value): value.debugDescription
    case .array(let values): "[" + values.map(\.description).joined(separator: ", ") + "]"
    case .object(let members): "{" + members.sorted { $0.key < $1.key }.map(Self.member).joined(separator: ", ") + "}"
    }
  }

  private static func member(_ name: String, _ value: JSONValue) -> String {
    "\(name.debugDescription): \(value)"
  }
}
