/// The elements of an array that a ``Probe`` decodes, all from the same samples.
struct ProbeElements: UnkeyedDecodingContainer {
  struct NoElement: Error, CustomStringConvertible {
    let description = "a sample array has no further elements"
  }

  let probe: Probe
  let numberOfElements: Int
  private(set) var currentIndex = 0

  init(probe: Probe, count: Int) {
    self.probe = probe
    numberOfElements = count
  }

  var codingPath: [any CodingKey] { [] }
  var count: Int? { numberOfElements }
  var isAtEnd: Bool { currentIndex >= numberOfElements }

  mutating func decodeNil() throws -> Bool {
    if isAtEnd { throw NoElement() }
    return false
  }

  mutating func decode(_: Bool.Type) throws -> Bool { try next { $0.flag } }
  mutating func decode(_: String.Type) throws -> String { try next { $0.text } }
  mutating func decode(_: Double.Type) throws -> Double { try next { $0.fraction } }
  mutating func decode(_: Float.Type) throws -> Float { try next { Float($0.fraction) } }
  mutating func decode(_: Int.Type) throws -> Int { try next { Int(clamping: $0.number) } }
  mutating func decode(_: Int8.Type) throws -> Int8 { try next { Int8(clamping: $0.number) } }
  mutating func decode(_: Int16.Type) throws -> Int16 { try next { Int16(clamping: $0.number) } }
  mutating func decode(_: Int32.Type) throws -> Int32 { try next { Int32(clamping: $0.number) } }
  mutating func decode(_: Int64.Type) throws -> Int64 { try next { Int64(clamping: $0.number) } }
  mutating func decode(_: UInt.Type) throws -> UInt { try next { UInt(clamping: $0.number) } }
  mutating func decode(_: UInt8.Type) throws -> UInt8 { try next { UInt8(clamping: $0.number) } }
  mutating func decode(_: UInt16.Type) throws -> UInt16 { try next { UInt16(clamping: $0.number) } }
  mutating func decode(_: UInt32.Type) throws -> UInt32 { try next { UInt32(clamping: $0.number) } }
  mutating func decode(_: UInt64.Type) throws -> UInt64 { try next { UInt64(clamping: $0.number) } }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let probe = probe
    return try next { try probe.sample(type, $0).value.get() }
  }

  private mutating func next<Value>(_ value: (ProbeSamples) throws -> Value) throws -> Value {
    if isAtEnd { throw NoElement() }
    let value = try value(probe.samples)
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    let probe = probe
    return try next { Probe(nested: $0, in: probe).container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let probe = probe
    return try next { ProbeElements(probe: Probe(nested: $0, in: probe), count: 0) }
  }

  mutating func superDecoder() throws -> any Decoder {
    let probe = probe
    return try next { Probe(nested: $0, in: probe) }
  }
}
