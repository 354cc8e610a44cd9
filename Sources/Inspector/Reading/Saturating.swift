/// Arithmetic with numbers from files, which any program may have written.
extension FixedWidthInteger {
  /// Returns the sum, or the nearest number if the sum cannot be represented.
  func addingSaturated(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// Returns the difference, or the nearest number if the difference cannot be represented.
  func subtractingSaturated(_ other: Self) -> Self {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}

extension Sequence where Element: FixedWidthInteger {
  /// The sum of the numbers, or the nearest number if the sum cannot be represented.
  var saturatedSum: Element { reduce(0) { $0.addingSaturated($1) } }
}
