import Foundation

/// Compiles and runs programs.
enum SampleRunner {
  /// What became of a program.
  enum Outcome: Sendable {
    case doesNotCompile(diagnostics: String)
    case failed(status: Int32, errors: String)
    case ran(printed: String)
  }

  /// Compilers are large: two at a time, whatever the number of tests.
  private static let turnstile = Turnstile(permits: 2)

  /// Compiles a program against the modules of this build and runs it, in a folder that is its whole world.
  static func run(_ program: String) async throws -> Outcome {
    await turnstile.enter()
    do {
      let outcome = try await compileAndRun(program)
      await turnstile.leave()
      return outcome
    } catch {
      await turnstile.leave()
      throw error
    }
  }

  private static func compileAndRun(_ program: String) async throws -> Outcome {
    let folder = FileManager.default.temporaryDirectory.appending(path: "signals-sample-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "main.swift")
    try Data(program.utf8).write(to: source)

    let path = { (name: String) in folder.appending(path: name).path(percentEncoded: false) }
    let compiler =
      ["swiftc", "-swift-version", "6", "-warnings-as-errors", "-module-name", "Sample", path("main.swift")]
      + (try Project.linkArguments()) + ["-o", path("program")]
    let compilation = try await execute("/usr/bin/env", compiler, in: folder)
    guard compilation.status == 0 else {
      return .doesNotCompile(diagnostics: compilation.errors + compilation.printed)
    }
    let run = try await execute(path("program"), [], in: folder, home: folder)
    return run.status == 0 ? .ran(printed: run.printed) : .failed(status: run.status, errors: run.errors)
  }

  /// Runs a command to its end, or until the test is cancelled.
  private static func execute(
    _ command: String,
    _ arguments: [String],
    in folder: URL,
    home: URL? = nil
  ) async throws -> (status: Int32, printed: String, errors: String) {
    let output = folder.appending(path: "output")
    let errors = folder.appending(path: "errors")
    let process = Process()
    process.executableURL = URL(filePath: command)
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try emptyFile(output)
    process.standardError = try emptyFile(errors)
    if let home {
      let path = home.path(percentEncoded: false)
      var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("XDG_") }
      environment["HOME"] = path
      environment["TMPDIR"] = path
      process.environment = environment
    }
    // Files, not pipes, which could fill up; and no thread waits.
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
        process.terminationHandler = { _ in ended.resume() }
        do { try process.run() } catch { ended.resume(throwing: error) }
      }
    } onCancel: {
      if process.isRunning { process.terminate() }
    }
    return (
      process.terminationStatus,
      try String(contentsOf: output, encoding: .utf8),
      try String(contentsOf: errors, encoding: .utf8)
    )
  }

  private static func emptyFile(_ url: URL) throws -> FileHandle {
    try Data().write(to: url)
    return try FileHandle(forWritingTo: url)
  }
}

/// Lets a few tasks through at a time.
actor Turnstile {
  private var permits: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(permits: Int) {
    self.permits = permits
  }

  func enter() async {
    if permits > 0 {
      permits -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func leave() {
    if waiting.isEmpty { permits += 1 } else { waiting.removeFirst().resume() }
  }
}
