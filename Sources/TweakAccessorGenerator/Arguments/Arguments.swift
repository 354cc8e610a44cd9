/// An error for invalid arguments.
struct UsageError: Error, Hashable, Sendable {
  let reason: String
}

/// The parsed arguments.
struct Arguments: Sendable {
  /// The values of each option, by its long name.
  private var values: [String: [String]] = [:]

  /// The arguments that belong to no option.
  private(set) var rest: [String] = []

  /// Separates options from their values: `-l FILE`, `--local-tweaks-file-path FILE`, `--local-tweaks-file-path=FILE`.
  init(_ arguments: [String], options: [(short: String?, long: String)]) throws(UsageError) {
    var iterator = arguments.makeIterator()
    while let argument = iterator.next() {
      guard argument.hasPrefix("-"), argument != "-" else {
        rest.append(argument)
        continue
      }
      let parts = argument.unicodeScalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { String($0) }
      guard let option = options.first(where: { "--" + $0.long == parts[0] || $0.short.map { "-" + $0 } == argument })
      else { throw UsageError(reason: "unknown option \(parts[0])") }
      guard let value = parts.count == 2 ? parts[1] : iterator.next(), !value.isEmpty else {
        throw UsageError(reason: "missing value for \(parts[0])")
      }
      values[option.long, default: []].append(value)
    }
  }

  /// Returns all values of an option.
  func all(_ option: String) -> [String] { values[option] ?? [] }

  /// Returns the value of an option that may be given once.
  func one(_ option: String) throws(UsageError) -> String? {
    let all = all(option)
    guard all.count < 2 else { throw UsageError(reason: "--\(option) is given more than once") }
    return all.first
  }

  /// Returns the value of an option that must be given exactly once.
  func required(_ option: String) throws(UsageError) -> String {
    guard let value = try one(option) else { throw UsageError(reason: "missing option --\(option)") }
    return value
  }
}
