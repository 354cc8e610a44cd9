import Foundation

/// An override in a suite: its value, and perhaps its end.
///
/// It is stored as `{ "int": 42, "until": 800000000 }`, in seconds since 2001.
struct StoredOverride: Sendable, Equatable, Codable {
  var value: TweakValue
  var end: Date?

  private enum CodingKeys: String, CodingKey {
    case until
  }

  /// The name of the member with the end.
  static var endKey: String { CodingKeys.until.rawValue }

  init(value: TweakValue, end: Date? = nil) {
    self.value = value
    self.end = end
  }

  init(from decoder: any Decoder) throws {
    value = try TweakValue(from: decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    end = try container.decodeIfPresent(Double.self, forKey: .until).map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  func encode(to encoder: any Encoder) throws {
    try value.encode(to: encoder)
    guard let end else { return }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(end.timeIntervalSinceReferenceDate, forKey: .until)
  }
}
