/// The single value of a type that a ``Probe`` decodes.
struct ProbeValue: SingleValueDecodingContainer {
  let probe: Probe

  var codingPath: [any CodingKey] { [] }

  private var samples: ProbeSamples { probe.samples }

  func decodeNil() -> Bool { false }

  func decode(_: Bool.Type) -> Bool { noting(.integer, samples.flag) }
  func decode(_: String.Type) -> String { noting(.text, samples.text) }
  func decode(_: Double.Type) -> Double { noting(.real, samples.fraction) }
  func decode(_: Float.Type) -> Float { noting(.real, Float(samples.fraction)) }
  func decode(_: Int.Type) -> Int { noting(.integer, Int(clamping: samples.number)) }
  func decode(_: Int8.Type) -> Int8 { noting(.integer, Int8(clamping: samples.number)) }
  func decode(_: Int16.Type) -> Int16 { noting(.integer, Int16(clamping: samples.number)) }
  func decode(_: Int32.Type) -> Int32 { noting(.integer, Int32(clamping: samples.number)) }
  func decode(_: Int64.Type) -> Int64 { noting(.integer, Int64(clamping: samples.number)) }
  func decode(_: UInt.Type) -> UInt { noting(.integer, UInt(clamping: samples.number)) }
  func decode(_: UInt8.Type) -> UInt8 { noting(.integer, UInt8(clamping: samples.number)) }
  func decode(_: UInt16.Type) -> UInt16 { noting(.integer, UInt16(clamping: samples.number)) }
  func decode(_: UInt32.Type) -> UInt32 { noting(.integer, UInt32(clamping: samples.number)) }
  func decode(_: UInt64.Type) -> UInt64 { noting(.integer, UInt64(clamping: samples.number)) }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let sample = probe.sample(type, samples)
    if let column = sample.type { probe.shape = .single(column) }
    return try sample.value.get()
  }

  private func noting<Value>(_ type: ColumnType, _ value: Value) -> Value {
    probe.shape = .single(type)
    return value
  }
}

/// The elements of an array that a ``Probe`` decodes, of which there are none.
struct ProbeElements: UnkeyedDecodingContainer {
  struct NoElement: Error, CustomStringConvertible {
    let description = "a sample array has no elements"
  }

  var codingPath: [any CodingKey] { [] }
  var count: Int? { 0 }
  var isAtEnd: Bool { true }
  var currentIndex: Int { 0 }

  func decodeNil() throws -> Bool { throw NoElement() }
  func decode(_: Bool.Type) throws -> Bool { throw NoElement() }
  func decode(_: String.Type) throws -> String { throw NoElement() }
  func decode(_: Double.Type) throws -> Double { throw NoElement() }
  func decode(_: Float.Type) throws -> Float { throw NoElement() }
  func decode(_: Int.Type) throws -> Int { throw NoElement() }
  func decode(_: Int8.Type) throws -> Int8 { throw NoElement() }
  func decode(_: Int16.Type) throws -> Int16 { throw NoElement() }
  func decode(_: Int32.Type) throws -> Int32 { throw NoElement() }
  func decode(_: Int64.Type) throws -> Int64 { throw NoElement() }
  func decode(_: UInt.Type) throws -> UInt { throw NoElement() }
  func decode(_: UInt8.Type) throws -> UInt8 { throw NoElement() }
  func decode(_: UInt16.Type) throws -> UInt16 { throw NoElement() }
  func decode(_: UInt32.Type) throws -> UInt32 { throw NoElement() }
  func decode(_: UInt64.Type) throws -> UInt64 { throw NoElement() }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { throw NoElement() }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    throw NoElement()
  }

  func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NoElement() }
  func superDecoder() throws -> any Decoder { throw NoElement() }
}
