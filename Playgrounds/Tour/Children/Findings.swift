/// What a process that looks at a file all the time has found.
struct Findings: Sendable, CustomStringConvertible {
  /// How often it read the file.
  var reads = 0

  /// How many values it was sent because the file had changed.
  var changes = 0

  /// How many of the two were torn, empty, or could not be had at all.
  var torn = 0

  init() {}

  /// Takes in the line that another process printed.
  init(_ line: String) {
    let numbers = line.split(separator: " ").compactMap { Int($0) }
    guard numbers.count == 3 else { return }
    (reads, changes, torn) = (numbers[0], numbers[1], numbers[2])
  }

  /// The line to print for another process.
  var line: String { "\(reads) \(changes) \(torn)" }

  var description: String { "\(reads) reads and \(changes) changes, \(torn) torn or empty" }
}
