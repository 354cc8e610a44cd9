import AppGroups
import FileSignals
import Foundation

/// A decoder that invents values and records the columns that a type requests.
final class Probe: Decoder {
  /// The kind of container that a type used to decode itself.
  enum Shape: Equatable {
    case keyed, unkeyed
    case single(ColumnType)
  }

  let samples: ProbeSamples
  /// The column that has other values than the rest.
  let exception: (column: String, samples: ProbeSamples?)?
  /// The number of types that enclose the one that decodes itself.
  let depth: Int
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  var shape: Shape?
  /// The columns, in the order in which they were first requested.
  private(set) var columns: [TableColumn] = []
  /// The keys that were checked for null, which are optional properties.
  private var optional: Set<String> = []
  /// The values that were returned for the columns, in the order of the requests.
  ///
  /// A value that is `nil` represents null.
  private(set) var supplied: [(column: String, value: Any?)] = []
  /// The number of cases of the enumeration in a column.
  private(set) var caseCounts: [String: Int] = [:]
  /// A Boolean value that indicates whether a sample row is decoded, in which optional properties have values.
  let isRow: Bool
  /// The last key that was requested, which is reported if the type throws an error.
  var asked: String?
  /// The number of elements of an array, or of entries of a dictionary, that this decoder invents.
  let elementCount: Int
  /// A Boolean value that indicates whether the type has requested elements or keys.
  var hasRequestedElements = false
  /// The depth from which arrays are empty, since a recursive type would never end otherwise.
  private static let elementDepth = 3

  /// Creates a decoder that infers columns, or that invents a sample row.
  ///
  /// - Parameters:
  ///   - samples: The values of all columns.
  ///   - exception: A column that has other values or, if they are `nil`, null.
  ///   - isRow: A Boolean value that indicates whether a sample row is decoded.
  ///   - depth: The number of types that enclose the one that decodes itself.
  ///   - elementCount: The number of elements of an array.
  init(
    _ samples: ProbeSamples, except exception: (column: String, samples: ProbeSamples?)? = nil, isRow: Bool = false,
    depth: Int = 0, elementCount: Int = 0
  ) {
    self.samples = samples
    self.exception = exception
    self.isRow = isRow
    self.depth = depth
    self.elementCount = elementCount
  }

  /// Returns a decoder of a value inside this one's.
  func nested(_ samples: ProbeSamples? = nil, elementCount: Int = 0) -> Probe {
    Probe(samples ?? self.samples, isRow: isRow, depth: depth + 1, elementCount: elementCount)
  }

  /// Returns the samples for a column, or `nil` if it is null.
  func samples(for key: some CodingKey) -> ProbeSamples? {
    guard depth == 0, let exception, exception.column == key.stringValue else { return samples }
    return exception.samples
  }

  /// Records the value that is returned for a column, and its type.
  func supply(_ key: some CodingKey, _ value: Any?, as type: Any.Type) {
    guard depth == 0, isRow else { return }
    supplied.append((key.stringValue, value))
    caseCounts[key.stringValue] = Self.caseCount(type)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    shape = .keyed
    return KeyedDecodingContainer(ProbeKeys<Key>(probe: self))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer {
    shape = .unkeyed
    hasRequestedElements = true
    return ProbeElements(probe: self, numberOfElements: elementCount)
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
  func sample<Value: Decodable>(
    _ type: Value.Type, _ samples: ProbeSamples
  ) -> (type: ColumnType?, value: Result<Value, Refusal>) {
    if let (column, known) = samples.known(type) { return (column, .success(known)) }
    var column: ColumnType?
    var failure = "it is not one of its cases"
    for count in elementCounts {
      let probe = nested(samples, elementCount: count)
      do {
        let value = try Value(from: probe)
        // In a row, every case occurs.
        if !isRow || !(type is any CaseIterable.Type) { return (probe.columnType, .success(value)) }
      } catch {
        failure = "\(error)"
      }
      column = probe.columnType
      if !probe.hasRequestedElements { break }
    }
    if let value = Self.substitute(type, samples.place) { return (column, .success(value)) }
    let remedy = type is any RawRepresentable.Type ? ". If \(Value.self) is an enumeration, make it CaseIterable" : ""
    let reason = "a sample \(Value.self) is rejected: \(clause(failure))\(remedy)"
    return (column, .failure(Refusal(reason: reason)))
  }

  /// The numbers of elements that are tried one after another.
  ///
  /// A dictionary with keys of any type is an array of keys and values. If the elements are rejected, there are none.
  private var elementCounts: [Int] { isRow && depth < Self.elementDepth ? [1, 2, 0] : [0] }

  /// Returns a value of a type that rejects invented ones: one of its cases, or `nil` for an optional.
  private static func substitute<Value>(_ type: Value.Type, _ place: Int) -> Value? {
    if let cases = type as? any CaseIterable.Type { return oneCase(cases, place) as? Value }
    if let optional = type as? any Absentable.Type { return optional.absent as? Value }
    return nil
  }

  private static func oneCase<Cases: CaseIterable>(_ type: Cases.Type, _ place: Int) -> Any? {
    let cases = Array(type.allCases)
    return cases.isEmpty ? nil : cases[place % cases.count]
  }

  /// Returns the number of cases of an enumeration, which may be optional.
  fileprivate static func caseCount(_ type: Any.Type) -> Int {
    if let cases = type as? any CaseIterable.Type { return count(cases) }
    if let optional = type as? any Absentable.Type { return caseCount(optional.present) }
    return 0
  }

  private static func count<Cases: CaseIterable>(_ type: Cases.Type) -> Int { type.allCases.count }
}

/// A type with a value that represents `nil`.
private protocol Absentable {
  static var absent: Self { get }
  static var present: Any.Type { get }
}

extension Optional: Absentable {
  fileprivate static var absent: Self { .none }
  fileprivate static var present: Any.Type { Wrapped.self }
}

/// The values that a ``Probe`` invents.
struct ProbeSamples: Sendable {
  let number: Int64
  let fraction: Double
  let text: String
  /// The index of the case of an enumeration, repeated if there are fewer.
  let place: Int

  var flag: Bool { number > 0 }

  /// The values with which columns are inferred.
  ///
  /// A type that rejects the first set may accept the second.
  static let attempts = [
    ProbeSamples(number: 0, fraction: 0, text: "", place: 0), ProbeSamples(number: 1, fraction: 1, text: "a", place: 0),
  ]

  /// The values of sample rows, which differ in all types.
  ///
  /// Common computed properties change at least one of them: rounding, limits, signs, letter case, trimming, prefixes
  /// and the normalization of accents.
  static let rows = [
    ProbeSamples(number: 1, fraction: 1.5, text: "a", place: 0),
    ProbeSamples(number: -7, fraction: -7.25, text: "aB ", place: 1),
    ProbeSamples(
      number: 1_234_567_890_123, fraction: 1_234_567_890_123.5,
      text: " ZOE\u{308} \u{E9} 2.50\n" + String(repeating: "x y", count: 100), place: 2),
  ]

  /// Returns the samples of one row; there are as many as a column has cases, and at least three.
  static func row(_ place: Int) -> ProbeSamples {
    if place < rows.count { return rows[place] }
    return ProbeSamples(number: Int64(place), fraction: Double(place) + 0.5, text: "a\(place)", place: place)
  }

  /// Returns a value of a type that is not stored as it encodes itself, and its column type.
  func known<Value>(_ type: Value.Type) -> (ColumnType, Value)? {
    let known: (ColumnType, Any)? =
      switch type {
      case is UUID.Type: (.text, UUID(uuid: bytes))
      case is Date.Type: (.real, Date(timeIntervalSinceReferenceDate: fraction))
      case is URL.Type: (.text, URL(filePath: "/\(number)"))
      case is Data.Type: (.blob, Data(text.utf8))
      case is Decimal.Type: (.decimal, Decimal(fraction))
      case is LogEventID.Type:
        (.text, LogEventID(producer: UUID(uuid: bytes), sequence: UInt64(bitPattern: number)))
      default: nil
      }
    guard let (column, value) = known, let value = value as? Value else { return nil }
    return (column, value)
  }

  private var bytes: uuid_t {
    let byte = { (place: Int64) in UInt8(truncatingIfNeeded: number >> (8 * place)) }
    return (
      byte(7), byte(6), byte(5), byte(4), byte(3), byte(2), byte(1), byte(0), 0xA0, UInt8(truncatingIfNeeded: place), 0,
      0, 0, 0, 0, 0
    )
  }
}
