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
