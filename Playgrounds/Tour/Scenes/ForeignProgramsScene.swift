import Foundation
import SignalsKit

/// Programs that know nothing of Signals change the file, well and badly, and all observers follow.
struct ForeignProgramsScene: Scene {
  let title = "Other programs change the file, each in its own way; everyone follows"

  #if canImport(Darwin)
    private static let sed = "sed -i ''"
  #else
    private static let sed = "sed -i"
  #endif

  /// A shell command, and the theme that the file holds after it.
  private static let steps: [(command: String, theme: String)] = [
    (#"printf '{"name":"moss"}' > ../new && mv ../new theme.json"#, "moss"),
    (#"\#(sed) s/moss/sand/ theme.json"#, "sand"),
    (#"printf '{"name":"rust"}' > theme.json"#, "rust"),
    (#"rm theme.json; printf '{"name":"slate"}' > theme.json"#, "slate"),
    (#"mv ../Files ../Old; mkdir ../Files; printf '{"name":"fern"}' > ../Files/theme.json"#, "fern"),
  ]

  func play(in workplace: Workplace, on display: Display) async throws -> [Promise] {
    let file = try Theme.file(in: workplace.container)
    let failed = MutableProperty<AppGroupsFileError?>(nil)
    let failures = file.failures.sink { failed.value = $0 }
    let observers = try (0..<2).map { _ in try ChildProcess(.decorator(directory: workplace.directory.path)) }
    for observer in observers { try await observer.wait(for: "ready") }

    var followed = 0
    for step in Self.steps {
      try Self.shell(step.command, beside: file)
      followed += await converge(on: step.theme, file, observers, display, after: step.command)
    }

    let garbage = #"printf '{"name":' > theme.json"#
    // A step before may have been caught between its removal and its writing.
    failed.value = nil
    try Self.shell(garbage, beside: file)
    let failure = try await failed.wait(for: "the failure") { error in
      if case .undecodable = error { true } else { false }
    }
    for observer in observers { try await observer.wait(for: "a failure") { $0.last?.hasPrefix("failure ") == true } }
    // Each observer says which value it has when it hears of the failure.
    let standing =
      [file.value.name] + observers.compactMap { $0.transcript.value.lines.last?.dropFirst(8) }.map(String.init)
    let stands = standing == Array(repeating: "fern", count: 3)
    let names = stands ? "fern, in all 3 processes" : standing.joined(separator: ", ")
    display.line("  $ \(garbage)\n    → a typed failure, while the last good value stands: \(names)")
    if let failure {
      display.note("      " + "\(failure)".replacingOccurrences(of: workplace.directory.path + "/", with: ""))
    }
    let repair = #"printf '{"name":"plum"}' > theme.json"#
    try Self.shell(repair, beside: file)
    let recovered = await converge(on: "plum", file, observers, display, after: repair)
    failures.cancel()
    return [
      Promise(
        "All observers follow other programs",
        isKept: followed == Self.steps.count,
        seen: "\(followed) of \(Self.steps.count) ways of changing a file, in 3 processes"
      ),
      Promise(
        "The last good value stands",
        isKept: stands,
        seen: "\(names), while the file held garbage"
      ),
      Promise("The next good content recovers", isKept: recovered == 1, seen: "\(file.value.name), in all 3 processes"),
    ]
  }

  /// Waits until all processes have a theme.
  ///
  /// - Returns: 1 if they have, 0 if not.
  private func converge(
    on theme: String,
    _ file: AppGroupsFile<Theme>,
    _ observers: [ChildProcess],
    _ display: Display,
    after command: String
  ) async -> Int {
    do {
      try await file.property.wait(for: "theme \(theme) here") { $0.name == theme }
      for observer in observers { try await observer.wait(for: "theme \(theme)") }
      display.line("  $ \(command)\n    → \(theme), in all 3 processes")
      return 1
    } catch {
      display.line("  $ \(command)\n    → \(error)")
      return 0
    }
  }

  private static func shell(_ command: String, beside file: AppGroupsFile<Theme>) throws {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", "cd '\(file.url.deletingLastPathComponent().path)' && \(command)"]
    try shell.run()
    shell.waitUntilExit()
  }
}
