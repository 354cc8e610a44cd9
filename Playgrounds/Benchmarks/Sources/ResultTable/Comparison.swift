import Catalog

/// One line of the table: ours beside one other contender.
struct Comparison {
  let title: String
  let ours: Double
  let other: (name: String, time: Double)?

  /// The aim and whether it was reached, on the line that it is about.
  var aim: (text: String, isReached: Bool)?

  var ratio: Double? { other.map { ours / $0.time } }

  /// The lines of a row, as far as it was measured.
  static func lines(of row: Row, in results: Results) -> [Comparison] {
    let operations = Double(row.block * row.deliveries)
    func time(_ contender: String) -> Double? {
      results.median(of: "\(row.id).\(contender)").map { $0 / operations }
    }
    guard let ours = time(Catalog.ours) else { return [] }
    var lines = row.others.compactMap { other in
      time(other).map { Comparison(title: row.title, ours: ours, other: (other, $0)) }
    }
    if lines.isEmpty, row.aim == nil { lines = [Comparison(title: row.title, ours: ours, other: nil)] }
    guard let aim = row.aim else { return lines }
    if let index = lines.firstIndex(where: { $0.other?.name == aim.reference }), let ratio = lines[index].ratio {
      lines[index].aim = ("≤ \(number(aim.ratio))", ratio <= aim.ratio)
    } else if let reference = rows.first(where: { aim.reference.hasPrefix("\($0.id).") }),
      let block = results.median(of: aim.reference)
    {
      let time = block / Double(reference.block * reference.deliveries)
      let contender = String(aim.reference.dropFirst(reference.id.count + 1))
      let whose = contender == Catalog.ours ? "ours" : contender
      var line = Comparison(title: row.title, ours: ours, other: ("\(whose): \(reference.title)", time))
      line.aim = ("≤ \(number(aim.ratio))", ours / time <= aim.ratio)
      lines.append(line)
    }
    return lines
  }
}

/// A number with about three digits.
func number(_ value: Double) -> String {
  let decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : value >= 0.1 ? 2 : value >= 0.01 ? 3 : 4
  var scale = 1.0
  for _ in 0..<decimals { scale *= 10 }
  let scaled = Int((value * scale).rounded())
  guard decimals > 0 else { return grouped(scaled) }
  let fraction = "\(scaled % Int(scale))"
  let zeros = String(repeating: "0", count: decimals - fraction.count)
  return "\(scaled / Int(scale)).\(zeros)\(fraction)"
}

/// An integer with a comma between thousands.
private func grouped(_ value: Int) -> String {
  guard value >= 1_000 else { return "\(value)" }
  let rest = "\(value % 1_000)"
  return grouped(value / 1_000) + "," + String(repeating: "0", count: 3 - rest.count) + rest
}
