/// The elements of an array that a ``Probe`` decodes, all from the same samples.
struct ProbeElements: UnkeyedDecodingContainer {
  struct NoElement: Error, CustomStringConvertible {
    let description = "a sample array has no further elements"
  }

  let probe: Probe
  let numberOfElements: Int
  private(set) var currentIndex = 0

  var codingPath: [any CodingKey] { [] }
  var count: Int? { numberOfElements }
  var isAtEnd: Bool { currentIndex >= numberOfElements }

  mutating func decodeNil() throws -> Bool {
    if isAtEnd { throw NoElement() }
    return false
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try next { try $0.sample(type, $0.samples).value.get() }
  }

  private mutating func next<Value>(_ value: (Probe) throws -> Value) throws -> Value {
    if isAtEnd { throw NoElement() }
    let value = try value(probe)
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try next { $0.nested().container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next { ProbeElements(probe: $0.nested(), numberOfElements: 0) }
  }

  mutating func superDecoder() throws -> any Decoder { try next { $0.nested() } }
}
