/// A search for the text that was probably meant.
package enum Nearest {
  /// Returns the text that needs the fewest changes, if there are only a few.
  package static func text(to wanted: String, in texts: some Sequence<String>) -> String? {
    let limit = Swift.max(2, wanted.count / 3)
    let rated = texts.map { (distance: distance(wanted, $0), text: $0) }.filter { $0.distance <= limit }
    return rated.min { ($0.distance, $0.text) < ($1.distance, $1.text) }?.text
  }

  /// Returns the number of letters that must be changed, added or removed.
  private static func distance(_ first: String, _ second: String) -> Int {
    let second = Array(second)
    var row = Array(0...second.count)
    for (index, letter) in first.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for (column, other) in second.enumerated() {
        let cost = letter == other ? diagonal : 1 + Swift.min(diagonal, row[column], row[column + 1])
        diagonal = row[column + 1]
        row[column + 1] = cost
      }
    }
    return row[second.count]
  }
}
