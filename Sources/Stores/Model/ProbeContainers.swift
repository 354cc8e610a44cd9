/// The keyed members of a type that a ``Probe`` decodes.
struct ProbeKeys<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let probe: Probe

  var codingPath: [any CodingKey] { [] }

  /// The keys of a dictionary, which are numbers, because its keys may be integers.
  var allKeys: [Key] {
    probe.hasRequestedElements = true
    return probe.elementCount == 0 ? [] : [Key(stringValue: "\(probe.samples.number)")].compactMap(\.self)
  }

  func contains(_ key: Key) -> Bool { true }

  /// Called for an optional property.
  ///
  /// Inside another value, all optional properties are null, since a recursive type would never end otherwise.
  func decodeNil(forKey key: Key) -> Bool {
    probe.noteOptional(key)
    guard probe.samples(for: key) != nil else {
      probe.supply(key, nil, as: Never.self)
      return true
    }
    return probe.depth > 0
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    probe.asked = key.stringValue
    let sample = probe.sample(type, probe.samples(for: key) ?? probe.samples)
    if type is any ExpressibleByNilLiteral.Type { probe.noteOptional(key) }
    if let column = sample.type { probe.note(key, column) }
    let value = try sample.value.get()
    guard sample.type != nil else { throw Probe.Refusal(reason: "\(Value.self) does not reveal what it decodes") }
    probe.supply(key, value, as: type)
    return value
  }

  /// Records the column type.
  ///
  /// - Returns: A value for a sample row, if there is one, and otherwise `nil`.
  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    probe.noteOptional(key)
    guard probe.depth == 0 else { return nil }
    let samples = probe.samples(for: key)
    let sample = probe.sample(type, samples ?? probe.samples)
    guard let column = sample.type else {
      throw Probe.Refusal(reason: "\(Value.self) does not reveal what it decodes")
    }
    probe.note(key, column)
    guard probe.isRow else { return nil }
    guard samples != nil, case .success(let value) = sample.value else {
      probe.supply(key, nil, as: type)
      return nil
    }
    probe.supply(key, value, as: type)
    return value
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    // The members of a nested value may have any containers, because all of it becomes JSON.
    guard probe.depth == 0 else {
      return probe.nested().container(keyedBy: type)
    }
    throw refusal(key)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    guard probe.depth == 0 else { return ProbeElements(probe: probe, numberOfElements: 0) }
    throw refusal(key)
  }

  private func refusal(_ key: Key) -> Probe.Refusal {
    probe.asked = key.stringValue
    return Probe.Refusal(reason: "a model cannot use nested containers; give it a Codable property instead")
  }

  func superDecoder() throws -> any Decoder {
    throw Probe.Refusal(reason: "its superclass uses a separate container")
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder() }
}

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
