import Catalog
import Foundation

/// Turns what the harness wrote into a table: `ResultTable RESULTS [--markdown FILE]`.
@main
enum ResultTable {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard let file = arguments.first, arguments.count == 1 || (arguments.count == 3 && arguments[2] == "--markdown") else {
      print("usage: ResultTable RESULTS [--markdown FILE]")
      exit(2)
    }
    do {
      let results = try Results(contentsOf: URL(filePath: file))
      let lines = rows.flatMap { Comparison.lines(of: $0, in: results) }
      print(text(lines))
      let missed = lines.count { $0.aim?.isReached == false }
      print("\n\(lines.count { $0.aim?.isReached == true }) aims reached, \(missed) missed.")
      if arguments.count == 3 {
        try replaceTable(in: URL(filePath: arguments[3]), with: markdown(lines))
        print("Wrote the table to \(arguments[3]).")
      }
    } catch {
      print("No table: \(error)")
      exit(1)
    }
  }
}
