import Catalog
import Foundation

/// Turns what the harness wrote into a table.
///
/// Its arguments are `--listed FILE [--markdown FILE] [--filter PATTERN]… RESULTS…`. A benchmark that the harness lists
/// and that has no result has failed. The table shows the others; the document stays as it is then, and the program
/// ends with status 1.
@main
enum ResultTable {
  static func main() {
    var arguments = Array(CommandLine.arguments.dropFirst())
    var document: URL?
    var listed: URL?
    var patterns: [String] = []
    while arguments.count > 2, let option = arguments.first, option.hasPrefix("--") {
      switch option {
      case "--markdown": document = URL(filePath: arguments[1])
      case "--listed": listed = URL(filePath: arguments[1])
      case "--filter": patterns.append(arguments[1])
      default: usage()
      }
      arguments.removeFirst(2)
    }
    guard let listed, !arguments.isEmpty else { usage() }
    do {
      let results = try Results(contentsOf: arguments.map { URL(filePath: $0) })
      let lines = rows.flatMap { Comparison.lines(of: $0, in: results) }
      print(text(lines))
      let missed = lines.count { $0.aim?.isReached == false }
      print("\n\(lines.count { $0.aim?.isReached == true }) aims reached, \(missed) missed.")
      let failed = try results.missing(from: String(contentsOf: listed, encoding: .utf8), patterns)
      guard failed.isEmpty else {
        print("\nNo result: \(failed.joined(separator: "; ")).")
        if let document { print("\(document.path) is left as it was, because the table is incomplete.") }
        exit(1)
      }
      if let document {
        try replaceTable(named: "benchmark", in: document, with: markdown(lines))
        print("Wrote the table to \(document.path).")
      }
    } catch {
      print("No table: \(error)")
      exit(1)
    }
  }

  private static func usage() -> Never {
    print("usage: ResultTable --listed FILE [--markdown FILE] [--filter PATTERN]… RESULTS…")
    exit(2)
  }
}
