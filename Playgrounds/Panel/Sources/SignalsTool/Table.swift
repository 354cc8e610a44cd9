import Foundation

/// Columns of text, aligned on a terminal and separated by tabs in a pipe.
struct Table {
  let head: [String]
  private(set) var rows: [[String]] = []

  init(_ head: String...) {
    self.head = head
  }

  mutating func add(_ cells: String...) {
    rows.append(cells.map { $0.replacing("\n", with: " ") })
  }

  /// Prints the table.
  func print() {
    guard isatty(STDOUT_FILENO) == 1 else {
      for row in [head] + rows { Swift.print(row.joined(separator: "\t")) }
      return
    }
    let widths = head.indices.map { column in ([head] + rows).map { $0[column].count }.max() ?? 0 }
    for row in [head] + rows {
      let cells = zip(row, widths).map { cell, width in cell.padding(toLength: width, withPad: " ", startingAt: 0) }
      Swift.print(cells.joined(separator: "  "))
    }
  }
}

/// Whether a person confirms a change that cannot be undone.
enum Confirmation {
  /// Asks on a terminal, and otherwise requires the option `--yes`.
  static func ask(_ question: String, isGiven: Bool) throws {
    if isGiven { return }
    guard isatty(STDIN_FILENO) == 1 else {
      throw Failure("\(question) Add --yes to confirm.", code: 4)
    }
    FileHandle.standardError.write(Data("\(question) [y/N] ".utf8))
    guard let answer = readLine()?.lowercased(), answer == "y" || answer == "yes" else {
      throw Failure("Nothing was changed.", code: 4)
    }
  }
}
