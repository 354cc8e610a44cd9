import FileSignals

/// A group of commands that belong together.
protocol CommandFamily: AnyObject {
  /// Performs a command.
  ///
  /// - Returns: The result, or `nil` if the command does not belong to this family.
  func perform(_ command: Command) throws -> String?
}

/// An error in a command itself.
struct CommandError: Error, CustomStringConvertible {
  let description: String
}

/// One line of the input.
struct Command {
  let word: String
  private let rest: Substring

  init(_ line: String) {
    let parts = line.split(separator: " ", maxSplits: 1)
    word = parts.first.map(String.init) ?? ""
    rest = parts.count > 1 ? parts[1] : ""
  }

  /// The arguments, the last of which takes the rest of the line.
  func arguments(_ count: Int) throws -> [String] {
    let arguments = rest.split(separator: " ", maxSplits: max(0, count - 1)).map(String.init)
    guard arguments.count == count else {
      throw CommandError(description: "\(word) takes \(count) arguments, not \(arguments.count)")
    }
    return arguments
  }

  /// The only argument.
  func argument() throws -> String {
    try arguments(1)[0]
  }

  /// Parses a number among the arguments.
  func number(_ text: String) throws -> Int {
    guard let number = Int(text) else { throw CommandError(description: "\(text) is no number") }
    return number
  }
}

/// All command families.
///
/// - `marked COMMAND`: perform a command between two marks in the trace of this process's system calls, and name the
///   type of its error
/// - `because CAUSE COMMAND`: perform a command, and give a reason for its changes
struct Commands {
  let families: [any CommandFamily]

  /// Performs the command of a line and returns the answer.
  func answer(to line: String) -> String {
    let command = Command(line)
    do {
      guard command.word == "marked" else { return try Self.answer(perform(command)) }
      return try marked(Command(command.argument()))
    } catch {
      return "error \(error)"
    }
  }

  private static func answer(_ result: String) -> String {
    result.isEmpty ? "ok" : "ok " + result
  }

  private func perform(_ command: Command) throws -> String {
    if command.word == "because" {
      let arguments = try command.arguments(2)
      return try Cause.withValue(arguments[0]) { try perform(Command(arguments[1])) }
    }
    for family in families {
      if let result = try family.perform(command) { return result }
    }
    throw CommandError(description: "there is no command \(command.word)")
  }

  private func marked(_ command: Command) throws -> String {
    do {
      return try Self.answer(TraceMarks.around { try perform(command) })
    } catch {
      return "error \(type(of: error)): \(error)"
    }
  }
}
