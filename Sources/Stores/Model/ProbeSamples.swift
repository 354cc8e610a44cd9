import AppGroups
import Foundation

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
