import FileSignals
import Foundation

/// A decoder that invents values and records the columns that a type requests.
final class Probe: Decoder {
  /// The invented values.
  ///
  /// A type that rejects the first set may accept the second.
  struct Samples: Sendable {
    let number: Int8
    let text: String

    static let attempts = [Samples(number: 0, text: ""), Samples(number: 1, text: "a")]
  }

  /// The kind of container that a type used to decode itself.
  enum Shape: Equatable {
    case keyed, unkeyed
    case single(ColumnType)
  }

  let samples: Samples
  /// The number of types that enclose the one that decodes itself.
  let depth: Int
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  var shape: Shape?
  /// The columns, in the order in which they were first requested.
  private(set) var columns: [TableColumn] = []
  /// The keys that were checked for null, which are optional properties.
  private var optional: Set<String> = []
  /// The last key that was requested, which is reported if the type throws an error.
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

  /// The column type for a value of this shape.
  var columnType: ColumnType? {
    switch shape {
    case nil: nil
    case .keyed, .unkeyed: .json
    case .single(let type): type
    }
  }

  /// Records that a key may be absent.
  func noteOptional(_ key: any CodingKey) {
    asked = key.stringValue
    optional.insert(key.stringValue)
  }

  /// Records the column type of a key.
  func note(_ key: any CodingKey, _ type: ColumnType) {
    asked = key.stringValue
    guard !columns.contains(where: { $0.name == key.stringValue }) else { return }
    columns.append(TableColumn(key.stringValue, type, isOptional: optional.contains(key.stringValue)))
  }
}

extension Probe {
  /// The reason why a value could not be invented.
  struct Refusal: Error, CustomStringConvertible {
    let reason: String

    var description: String { reason }
  }

  /// Invents a value and returns it with its column type.
  ///
  /// There may be a column type without a value.
  func sample<Value: Decodable>(_ type: Value.Type) -> (type: ColumnType?, value: Result<Value, Refusal>) {
    if let (column, known) = Self.known(type) { return (column, .success(known)) }
    let probe = Probe(samples: samples, depth: depth + 1)
    do {
      let value = try Value(from: probe)
      return (probe.columnType, .success(value))
    } catch {
      if let value = Self.substitute(type) { return (probe.columnType, .success(value)) }
      let remedy = type is any RawRepresentable.Type ? "; if \(Value.self) is an enumeration, make it CaseIterable" : ""
      let reason = "a sample \(Value.self) is rejected: \(clause("\(error)"))\(remedy)"
      return (probe.columnType, .failure(Refusal(reason: reason)))
    }
  }

  /// Returns a value of a type that is not stored as it encodes itself.
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

  /// Returns a value of a type that rejects invented ones: its first case, or `nil` for an optional.
  private static func substitute<Value>(_ type: Value.Type) -> Value? {
    if let cases = type as? any CaseIterable.Type { return firstCase(cases) as? Value }
    if let optional = type as? any Absentable.Type { return optional.absent as? Value }
    return nil
  }

  private static func firstCase<Cases: CaseIterable>(_ type: Cases.Type) -> Any? { Cases.allCases.first }
}

/// A type with a value that represents `nil`.
private protocol Absentable {
  static var absent: Self { get }
}

extension Optional: Absentable {
  fileprivate static var absent: Self { .none }
}
