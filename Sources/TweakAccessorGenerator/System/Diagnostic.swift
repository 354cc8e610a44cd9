import TweakFormat

/// What is wrong with what the tool was given, as compilers say it, so that build systems and editors find the place.
struct Diagnostic: Hashable, Sendable {
  /// The file, if it is about one.
  var file: String?

  /// The place in the file, if it is about one.
  var line: Int?
  var column: Int?

  let reason: String
  var isWarning = false

  var text: String {
    let place = [file, line?.description, column?.description].compactMap { $0 }.joined(separator: ":")
    return (place.isEmpty ? "" : place + ": ") + (isWarning ? "warning: " : "error: ") + reason
  }
}

/// All that is wrong.
struct Diagnostics: Sendable {
  private(set) var all: [Diagnostic] = []

  var hasErrors: Bool { all.contains { !$0.isWarning } }

  mutating func add(_ reason: String, in file: InputFile, at offset: Int, isWarning: Bool = false) {
    let place = file.place(of: offset)
    all.append(
      Diagnostic(file: file.path, line: place.line, column: place.column, reason: reason, isWarning: isWarning)
    )
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
