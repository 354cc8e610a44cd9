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
