/// The label and the dimensions of a metric.
struct Series: Hashable {
  let label: String
  var dimensions: [[String]] = []

  var pairs: [(String, String)] { dimensions.map { ($0[0], $0[1]) } }
}

/// The names that are reported by themselves, at most as many as a limit.
struct BoundedNames {
  let limit: Int
  private var known: Set<[String]> = []

  init(limit: Int) {
    self.limit = limit
  }

  /// Returns the series for some dimensions, whose names are `other` if there are too many.
  ///
  /// A name keeps its place, so the number of series that a backend ever stores is bounded, however names come and go.
  ///
  /// - Parameters:
  ///   - label: The label of the metric.
  ///   - dimensions: The dimensions; all but `kind` contain names.
  ///   - detail: A further dimension, which has few values.
  /// - Returns: The series.
  mutating func series(
    _ label: String, _ dimensions: KeyValuePairs<String, String>, detail: (name: String, value: String)? = nil
  ) -> Series {
    let names = dimensions.map(\.value)
    let isNamed = known.contains(names) || known.count < limit
    if isNamed { known.insert(names) }
    var pairs = dimensions.map { key, value in [key, isNamed || key == "kind" ? value : "other"] }
    if let detail { pairs.append([detail.name, detail.value]) }
    return Series(label: label, dimensions: pairs)
  }
}
