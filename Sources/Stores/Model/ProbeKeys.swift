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

  func decode(_: Bool.Type, forKey key: Key) -> Bool { noting(key, .integer) { $0.flag } }
  func decode(_: String.Type, forKey key: Key) -> String { noting(key, .text) { $0.text } }
  func decode(_: Double.Type, forKey key: Key) -> Double { noting(key, .real) { $0.fraction } }
  func decode(_: Float.Type, forKey key: Key) -> Float { noting(key, .real) { Float($0.fraction) } }
  func decode(_: Int.Type, forKey key: Key) -> Int { noting(key, .integer) { Int(clamping: $0.number) } }
  func decode(_: Int8.Type, forKey key: Key) -> Int8 { noting(key, .integer) { Int8(clamping: $0.number) } }
  func decode(_: Int16.Type, forKey key: Key) -> Int16 { noting(key, .integer) { Int16(clamping: $0.number) } }
  func decode(_: Int32.Type, forKey key: Key) -> Int32 { noting(key, .integer) { Int32(clamping: $0.number) } }
  func decode(_: Int64.Type, forKey key: Key) -> Int64 { noting(key, .integer) { Int64(clamping: $0.number) } }
  func decode(_: UInt.Type, forKey key: Key) -> UInt { noting(key, .integer) { UInt(clamping: $0.number) } }
  func decode(_: UInt8.Type, forKey key: Key) -> UInt8 { noting(key, .integer) { UInt8(clamping: $0.number) } }
  func decode(_: UInt16.Type, forKey key: Key) -> UInt16 { noting(key, .integer) { UInt16(clamping: $0.number) } }
  func decode(_: UInt32.Type, forKey key: Key) -> UInt32 { noting(key, .integer) { UInt32(clamping: $0.number) } }
  func decode(_: UInt64.Type, forKey key: Key) -> UInt64 { noting(key, .integer) { UInt64(clamping: $0.number) } }

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
      return Probe(nested: probe.samples, in: probe).container(keyedBy: type)
    }
    throw refusal(key)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    guard probe.depth == 0 else { return ProbeElements(probe: probe, count: 0) }
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

  private func noting<Value>(_ key: Key, _ type: ColumnType, _ value: (ProbeSamples) -> Value) -> Value {
    probe.note(key, type)
    let value = value(probe.samples(for: key) ?? probe.samples)
    probe.supply(key, value, as: Value.self)
    return value
  }
}
