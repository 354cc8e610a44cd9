import Foundation

/// A decoder that makes values up, and notes which columns a type asks for.
final class Probe: Decoder {
  /// The values that are made up; a type that refuses the first may take the second.
  struct Samples: Sendable {
    let number: Int8
    let text: String

    static let attempts = [Samples(number: 0, text: ""), Samples(number: 1, text: "a")]
  }

  /// What a type decoded itself from.
  enum Shape: Equatable {
    case keyed, unkeyed
    case single(ColumnType)
  }

  let samples: Samples
  /// How many types enclose the one that decodes itself.
  let depth: Int
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  var shape: Shape?
  /// In the order in which they were first asked for.
  private(set) var columns: [TableColumn] = []
  /// What was asked whether it is null; that is an optional property.
  private var optional: Set<String> = []
  /// The last key that was asked for, which is to blame if the type throws.
  var asked: String?

  init(samples: Samples, depth: Int = 0) {
    self.samples = samples
    self.depth = depth
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    shape = .keyed
    return KeyedDecodingContainer(ProbeKeys<Key>(probe: self))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer {
    shape = .unkeyed
    return ProbeElements()
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { ProbeValue(probe: self) }

  /// How a value of this shape is kept.
  var columnType: ColumnType? {
    switch shape {
    case nil: nil
    case .keyed, .unkeyed: .json
    case .single(let type): type
    }
  }

  /// Says that a key may be absent.
  func noteOptional(_ key: any CodingKey) {
    asked = key.stringValue
    optional.insert(key.stringValue)
  }

  /// Says what a key is kept as.
  func note(_ key: any CodingKey, _ type: ColumnType) {
    asked = key.stringValue
    guard !columns.contains(where: { $0.name == key.stringValue }) else { return }
    columns.append(TableColumn(key.stringValue, type, isOptional: optional.contains(key.stringValue)))
  }
}

extension Probe {
  /// Why a value could not be made up.
  struct Refusal: Error {
    let reason: String
  }

  /// Makes a value up, and tells what such a value is kept as; there may be a type but no value.
  func sample<Value: Decodable>(_ type: Value.Type) -> (type: ColumnType?, value: Result<Value, Refusal>) {
    if let (column, known) = Self.known(type) { return (column, .success(known)) }
    let probe = Probe(samples: samples, depth: depth + 1)
    do {
      let value = try Value(from: probe)
      return (probe.columnType, .success(value))
    } catch {
      if let value = Self.substitute(type) { return (probe.columnType, .success(value)) }
      let remedy = type is any RawRepresentable.Type ? "; make \(Value.self) CaseIterable, if it is an enumeration" : ""
      return (probe.columnType, .failure(Refusal(reason: "a made-up \(Value.self) is refused: \(error)\(remedy)")))
    }
  }

  /// A value of a type that is kept as something else than what it encodes itself to.
  private static func known<Value>(_ type: Value.Type) -> (ColumnType, Value)? {
    let known: (ColumnType, Any)? =
      switch type {
      case is UUID.Type: (.text, UUID())
      case is Date.Type: (.real, Date(timeIntervalSinceReferenceDate: 0))
      case is URL.Type: (.text, URL(filePath: "/"))
      case is Data.Type: (.blob, Data())
      case is Decimal.Type: (.decimal, Decimal(0))
      default: nil
      }
    guard let (column, value) = known, let value = value as? Value else { return nil }
    return (column, value)
  }

  /// A value of a type that refuses made-up ones: the first of its cases, or none.
  private static func substitute<Value>(_ type: Value.Type) -> Value? {
    if let cases = type as? any CaseIterable.Type { return firstCase(cases) as? Value }
    if let optional = type as? any Absentable.Type { return optional.absent as? Value }
    return nil
  }

  private static func firstCase<Cases: CaseIterable>(_ type: Cases.Type) -> Any? { Cases.allCases.first }
}

/// A type with a value that stands for none.
private protocol Absentable {
  static var absent: Self { get }
}

extension Optional: Absentable {
  fileprivate static var absent: Self { .none }
}
