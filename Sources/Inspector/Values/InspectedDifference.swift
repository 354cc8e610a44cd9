/// A place at which two JSON values differ.
///
/// It is encoded as an array: `["~", "/theme", "light", "dark"]`, `["+", "/size", 12]` or `["-", "/size", 12]`.
public struct InspectedDifference: Sendable, Hashable {
  /// The place as a JSON pointer, such as `/theme`; empty for the whole value.
  public let path: String

  /// The old value, or `nil` if the place is new.
  public let old: InspectedValue?

  /// The new value, or `nil` if the place was removed.
  public let new: InspectedValue?

  init(_ path: String, old: InspectedValue?, new: InspectedValue?) {
    (self.path, self.old, self.new) = (path, old, new)
  }

  /// The largest size of a value in a difference, in bytes of JSON.
  private static let valueLimit = 2048

  /// Returns the differences of two values, in the order of their paths.
  ///
  /// - Parameters:
  ///   - old: A value, or `nil` if there was none.
  ///   - new: A later value, or `nil` if there is none.
  ///   - limit: The largest number of differences to return.
  /// - Returns: The differences, and the number of omitted ones.
  package static func of(
    _ old: InspectedValue?, _ new: InspectedValue?, limit: Int = 50
  ) -> (differences: [InspectedDifference], more: Int) {
    var all: [InspectedDifference] = []
    collect(old, new, "", &all)
    let kept = all.prefix(limit).map { difference in
      InspectedDifference(difference.path, old: short(difference.old), new: short(difference.new))
    }
    return (kept, all.count - kept.count)
  }

  private static func collect(
    _ old: InspectedValue?, _ new: InspectedValue?, _ path: String, _ all: inout [InspectedDifference]
  ) {
    if old == new { return }
    if case .object(let old)? = old, case .object(let new)? = new {
      for name in Set(old.keys).union(new.keys).sorted() {
        collect(old[name], new[name], path + "/" + JSONPointer.escaped(name), &all)
      }
    } else if case .array(let old)? = old, case .array(let new)? = new {
      for index in 0..<max(old.count, new.count) {
        let (was, now) = (index < old.count ? old[index] : nil, index < new.count ? new[index] : nil)
        collect(was, now, "\(path)/\(index)", &all)
      }
    } else {
      all.append(InspectedDifference(path, old: old, new: new))
    }
  }

  private static func short(_ value: InspectedValue?) -> InspectedValue? {
    guard let value, value.isLarger(than: valueLimit) else { return value }
    return .object(["$omitted": .integer(value.size)])
  }

  /// The difference as one short line, such as `/theme: "light" → "dark"`.
  var summary: String {
    let name = path.isEmpty ? "value" : JSONPointer.parts(path).joined(separator: ".")
    return switch (old, new) {
    case (let old?, let new?): "\(name): \(Self.shown(old)) → \(Self.shown(new))"
    case (nil, let new?): "\(name): + \(Self.shown(new))"
    case (let old?, nil): "\(name): - \(Self.shown(old))"
    default: name
    }
  }

  private static func shown(_ value: InspectedValue) -> String {
    if value.isLarger(than: valueLimit) { return "a long value" }
    let text = value.text
    return text.count > 60 ? text.prefix(59) + "…" : text
  }
}

extension InspectedDifference: Encodable {
  /// Encodes the difference.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(old == nil ? "+" : new == nil ? "-" : "~")
    try container.encode(path)
    if let old { try container.encode(old) }
    if let new { try container.encode(new) }
  }
}
