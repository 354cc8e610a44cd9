import Foundation
import TestSupport
import Testing

/// The real tool, run in its own process and folder.
struct Generator {
  /// The exit status and output of the tool.
  struct Outcome {
    let status: Int
    let output: String

    /// The lines of standard error.
    let errors: [String]
  }

  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Writes an input file for the tool.
  func write(_ text: String, to name: String) throws {
    let url = directory.file(name)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  func text(_ name: String) throws -> String { try String(contentsOf: directory.file(name), encoding: .utf8) }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: directory.file(name).path) }

  /// The tool built together with the tests.
  static var tool: URL {
    PeerProcess.builtExecutable.deletingLastPathComponent().appending(path: "TweakAccessorGenerator")
  }

  func run(_ arguments: String...) async throws -> Outcome { try await run(Self.tool.path, arguments) }

  /// Runs any program in the folder.
  func run(_ program: String, _ arguments: [String]) async throws -> Outcome {
    let script = "cd \"$1\" && shift && { \"$@\" > .output 2> .errors; echo $? > .status; }"
    let process = try PeerProcess(
      executable: URL(filePath: "/bin/sh"),
      arguments: ["-c", script, "sh", directory.url.path, program] + arguments
    )
    try await process.exit.wait(for: "the end of \(program)") { !$0.isEmpty }
    let status = try text(".status").trimmingCharacters(in: .whitespacesAndNewlines)
    return Outcome(
      status: try #require(Int(status)), output: try text(".output"),
      errors: try text(".errors").split(separator: "\n").map(String.init)
    )
  }

  /// Generates an accessor from a file with the given variables in the feature `f`.
  func accessor(of variables: String) async throws -> Outcome {
    try write("{\"f\": {\n\(variables)\n}}", to: "a.json")
    return try await run("-l", "a.json", "-o", ".")
  }

  /// Compiles Swift code against the package's modules, as an application would.
  func compile(_ files: String...) async throws -> Outcome {
    var root = URL(filePath: #filePath)
    for _ in 1...4 { root.deleteLastPathComponent() }
    let modules = Self.tool.deletingLastPathComponent().appending(path: "Modules")
    let folders = [modules] + ["CLinux", "CSQLite"].map { root.appending(path: "Sources/\($0)") }
    return try await run(
      "/usr/bin/env",
      ["swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-warnings-as-errors"]
        + ["InternalImportsByDefault", "MemberImportVisibility"].flatMap { ["-enable-upcoming-feature", $0] }
        + folders.flatMap { ["-I", $0.path] } + files
    )
  }
}
