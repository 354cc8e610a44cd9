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
  func decode<Number: FixedWidthInteger & Decodable>(_: Number.Type) -> Number {
    noting(.integer, Number(clamping: samples.number))
  }

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
