/// A line of the table: what was counted, and what we promise about it.
struct Promise: Sendable {
  let title: String

  /// The most allocations that one operation may take, or `nil` if nothing is promised.
  var allocations: Double?
  var liveBytes: Double?
  var retains: Double?

  let count: @Sendable () -> Cost

  /// What is wrong with a cost, in words; empty if the promise is kept.
  func breaches(by cost: Cost) -> [String] {
    // An array that grows or a cache that fills shows as a few parts in a thousand; a cost per operation is 1 or more.
    let tolerance = 0.01
    func breach(_ name: String, _ actual: Double, _ limit: Double?) -> String? {
      guard let limit, actual > limit + tolerance else { return nil }
      return "\(name) \(decimal(actual)), promised at most \(decimal(limit))"
    }
    return [
      breach("allocations", cost.allocations, allocations),
      breach("bytes", cost.liveBytes, liveBytes),
      breach("retains", cost.retains, retains),
    ].compactMap(\.self)
  }
}

/// A number with two decimals, or none if they are zero.
func decimal(_ value: Double) -> String {
  let hundredths = Int((value.magnitude * 100).rounded())
  let whole = "\(value < 0 && hundredths > 0 ? "-" : "")\(hundredths / 100)"
  return hundredths % 100 == 0 ? whole : "\(whole).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
}
