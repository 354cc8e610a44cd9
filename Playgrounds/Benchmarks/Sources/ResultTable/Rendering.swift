import Foundation

private let header = ["work", "ours, ns", "beside", "theirs, ns", "ratio", "aim", ""]

extension Comparison {
  fileprivate var cells: [String] {
    [
      title, number(ours), other?.name ?? "", other.map { number($0.time) } ?? "", ratio.map(number) ?? "",
      aim?.text ?? "", aim.map { $0.isReached ? "ok" : "missed" } ?? "",
    ]
  }
}

/// The table for a terminal: columns of equal width.
func text(_ lines: [Comparison]) -> String {
  let table = [header] + lines.map(\.cells)
  let widths = header.indices.map { column in table.map { $0[column].count }.max() ?? 0 }
  return table.map { cells in
    cells.indices.map { column in
      let padding = String(repeating: " ", count: widths[column] - cells[column].count)
      return isNumeric(column) ? padding + cells[column] : cells[column] + padding
    }.joined(separator: "  ")
  }.joined(separator: "\n")
}

/// The table for a Markdown file, under a line that says where and when it was measured.
///
/// It has one row for each work and three columns, because more do not fit a phone.
func markdown(_ lines: [Comparison]) -> String {
  var rows: [(title: String, ours: Double, others: [String])] = []
  for line in lines {
    if rows.last?.title != line.title { rows.append((line.title, line.ours, [])) }
    if let other = line.other, let ratio = line.ratio {
      let missed = line.aim.flatMap { $0.isReached ? nil : ", **missed** \($0.text)" } ?? ""
      rows[rows.count - 1].others.append("\(other.name) \(number(other.time)) (\(number(ratio))\(missed))")
    }
  }
  let table =
    ["| work | ours, ns | beside, ns (ratio) |", "| --- | ---: | --- |"]
    + rows.map { "| \($0.title) | \(number($0.ours)) | \($0.others.joined(separator: "; ")) |" }
  return "\(provenance())\n\n\(table.joined(separator: "\n"))"
}

private func isNumeric(_ column: Int) -> Bool {
  [1, 3, 4, 5].contains(column)
}

private func provenance() -> String {
  let process = ProcessInfo.processInfo
  let day = Date.now.formatted(.iso8601.year().month().day())
  return "Median nanoseconds, \(day), \(processor()), \(process.activeProcessorCount) cores, "
    + "\(process.operatingSystemVersionString), \(swiftVersion())."
}

/// The compiler's version; the script that runs the benchmarks passes it on.
private func swiftVersion() -> String {
  ProcessInfo.processInfo.environment["SWIFT_VERSION"] ?? "Swift of an unknown version"
}

/// The processor's name, where the system tells.
private func processor() -> String {
  guard let description = FileManager.default.contents(atPath: "/proc/cpuinfo") else { return "unknown processor" }
  let lines = String(decoding: description, as: UTF8.self).split(separator: "\n")
  let name = lines.first { $0.hasPrefix("model name") }
  return name?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown processor"
}
