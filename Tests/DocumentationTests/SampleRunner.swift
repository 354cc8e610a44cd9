import Foundation
import TestSupport

/// Compiles and runs programs.
enum SampleRunner {
  /// The outcome of a program.
  enum Outcome: Sendable {
    case doesNotCompile(diagnostics: String)
    case failed(errors: String)
    case compiled
    /// The different outputs of its runs.
    case ran(printed: [String])
  }

  /// The modules of this build in one library, which every sample uses: linking their objects takes longer than compiling
  /// a sample.
  private static let library = Task { try await linkLibrary() }

  /// Compilers need much memory: two run at a time, whatever the number of tests.
  private static let turnstile = Turnstile(permits: 2)

  /// Compiles a program against the modules of this build, and runs it some times, each in its own folder and home.
  static func run(_ program: String, runs: Int = 1) async throws -> Outcome {
    await turnstile.enter()
    do {
      let outcome = try await compileAndRun(program, runs: runs)
      await turnstile.leave()
      return outcome
    } catch {
      await turnstile.leave()
      throw error
    }
  }

  /// Type-checks a program against the modules of this build.
  ///
  /// A function or expression that takes longer than the limit causes a warning. Other processes may slow the compiler
  /// down, so a slow check is repeated twice. The limit is in milliseconds. The result is the diagnostics, which are
  /// empty for a correct program.
  static func typeCheck(_ program: String, limit: Int) async throws -> String {
    await turnstile.enter()
    var diagnostics = ""
    do {
      for _ in 0..<3 {
        diagnostics = try await typeCheckOnce(program, limit: limit)
        if !diagnostics.contains("to type-check") { break }
      }
      await turnstile.leave()
      return diagnostics
    } catch {
      await turnstile.leave()
      throw error
    }
  }

  private static func typeCheckOnce(_ program: String, limit: Int) async throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "signals-sample-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "Sample.swift")
    try Data(program.utf8).write(to: source)
    let limits = ["expression-type-checking", "function-bodies"]
      .flatMap { ["-Xfrontend", "-warn-long-\($0)=\(limit)"] }
    let compiler =
      ["swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-module-name", "Sample"] + limits
      + Project.moduleArguments + [source.path(percentEncoded: false)]
    let checked = try await execute(compiler, in: folder)
    let diagnostics = checked.printed + checked.errors
    return checked.isSuccess && !diagnostics.contains("warning:") ? "" : diagnostics
  }

  private static func compileAndRun(_ program: String, runs: Int) async throws -> Outcome {
    let folder = FileManager.default.temporaryDirectory.appending(path: "signals-sample-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "main.swift")
    try Data(program.utf8).write(to: source)

    let path = { (name: String) in folder.appending(path: name).path(percentEncoded: false) }
    let library = try await library.value.path(percentEncoded: false)
    let compiler =
      ["swiftc", "-swift-version", "6", "-warnings-as-errors", "-module-name", "Sample", path("main.swift")]
      + Project.moduleArguments + [library, "-o", path("program")]
    let compilation = try await execute(compiler, in: folder)
    guard compilation.isSuccess else {
      return .doesNotCompile(diagnostics: compilation.errors + compilation.printed)
    }
    guard runs > 0 else { return .compiled }
    var outputs: [String] = []
    for number in 1...runs {
      let home = folder.appending(path: "home-\(number)")
      try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
      let run = try await execute([path("program")], in: home, isAtHome: true)
      guard run.isSuccess else { return .failed(errors: run.errors) }
      if !outputs.contains(run.printed) { outputs.append(run.printed) }
    }
    return .ran(printed: outputs)
  }

  /// Links the library into the build folder.
  private static func linkLibrary() async throws -> URL {
    let folder = Project.products.appending(path: "Samples")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Another run of the tests may use the library at the same path.
    let (library, new) = (folder.appending(path: "libModules.so"), folder.appending(path: "\(UUID()).so"))
    var linker = ["swiftc", "-emit-library", "-module-name", "Modules", "-o", new.path(percentEncoded: false)]
    #if canImport(Darwin)
      linker += ["-Xlinker", "-install_name", "-Xlinker", library.path(percentEncoded: false)]
    #endif
    let linked = try await execute(linker + Project.objects(), in: folder)
    guard linked.isSuccess else { throw LinkerFailure(description: linked.errors + linked.printed) }
    guard rename(new.path(percentEncoded: false), library.path(percentEncoded: false)) == 0 else {
      throw LinkerFailure(description: "\(new.path) could not be renamed: \(errno)")
    }
    return library
  }

  private struct LinkerFailure: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs a command in a folder until it ends or the test is cancelled.
  private static func execute(
    _ command: [String],
    in folder: URL,
    isAtHome: Bool = false
  ) async throws -> (isSuccess: Bool, printed: String, errors: String) {
    // Files instead of pipes, which could fill up. The socket stays open as the third descriptor and closes with the
    // program.
    let home = "unset $(env | sed -n 's/^\\(XDG_[A-Z_]*\\)=.*/\\1/p') _; export HOME=\"$PWD\" TMPDIR=\"$PWD\"; "
    let script = "cd \"$1\"; shift; \(isAtHome ? home : "")exec \"$@\" 3<&0 < /dev/null > output 2> errors"
    let process = try PeerProcess(
      executable: URL(filePath: "/bin/sh"),
      arguments: ["-c", script, "sh", folder.path(percentEncoded: false)] + command)
    let status = try await process.exit.wait(for: "the end of \(command[0])", timeout: .seconds(600)) { !$0.isEmpty }
    return (
      status == [0],
      try String(contentsOf: folder.appending(path: "output"), encoding: .utf8),
      try String(contentsOf: folder.appending(path: "errors"), encoding: .utf8)
        + (status == [0] ? "" : "It ended with the status \(status[0]) of waitpid.")
    )
  }
}

/// Admits a few tasks at a time.
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
