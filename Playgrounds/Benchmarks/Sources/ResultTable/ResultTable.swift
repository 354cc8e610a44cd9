import Catalog
import Foundation

/// Turns what the harness wrote into a table: `ResultTable [--markdown FILE] RESULTS…`.
@main
enum ResultTable {
  static func main() {
    var arguments = Array(CommandLine.arguments.dropFirst())
    var document: URL?
    if arguments.first == "--markdown", arguments.count > 1 {
      document = URL(filePath: arguments[1])
      arguments.removeFirst(2)
    }
    guard !arguments.isEmpty else {
      print("usage: ResultTable [--markdown FILE] RESULTS…")
      exit(2)
    }
    do {
      let results = try Results(contentsOf: arguments.map { URL(filePath: $0) })
      let lines = rows.flatMap { Comparison.lines(of: $0, in: results) }
      print(text(lines))
      let missed = lines.count { $0.aim?.isReached == false }
      print("\n\(lines.count { $0.aim?.isReached == true }) aims reached, \(missed) missed.")
      if let document {
        try replaceTable(in: document, with: markdown(lines))
        print("Wrote the table to \(document.path).")
      }
    } catch {
      print("No table: \(error)")
      exit(1)
    }
  }
}
