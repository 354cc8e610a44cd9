import StrictJSON

/// A problem in the format of compiler messages, so that build systems and editors find the place.
struct Diagnostic: Hashable, Sendable {
  let file: String

  /// The line and the column, counted from 1.
  ///
  /// Both are 1 if the problem concerns the file as a whole.
  var line = 1
  var column = 1

  let reason: String
  var isWarning = false

  var text: String { "\(file):\(line):\(column): \(isWarning ? "warning" : "error"): \(reason)" }
}

/// All problems found so far.
struct Diagnostics: Sendable {
  private(set) var all: [Diagnostic] = []

  var hasErrors: Bool { all.contains { !$0.isWarning } }

  mutating func add(_ reason: String, in file: InputFile, at offset: Int, isWarning: Bool = false) {
    add(TextProblem(reason, at: file.position(of: offset), isWarning: isWarning), in: file)
  }

  mutating func add(_ problem: TextProblem, in file: InputFile) {
    all.append(
      Diagnostic(
        file: file.path, line: problem.position.line, column: problem.position.column, reason: problem.reason,
        isWarning: problem.isWarning
      )
    )
  }

  mutating func add(_ error: FileError) {
    all.append(Diagnostic(file: error.path, reason: error.reason))
  }
}
