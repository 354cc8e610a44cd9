import Foundation
import TestSupport
import Testing

/// A program in the documentation.
struct Sample: Sendable, CustomTestStringConvertible {
  /// A run of consecutive lines of the documentation.
  struct Piece: Sendable {
    /// The line at which the code begins, counted from 1.
    var line: Int
    var code: [Substring]

    var use = Use.run
  }

  /// The use of a fence, which a comment above it gives.
  enum Use: String {
    case run
    /// The program needs more than this machine.
    case onlyCompiled = "<!-- not run -->"
    /// `.ci/platforms` type-checks the program.
    case compiledForApple = "<!-- compiled for Apple -->"
    case notCompiled = "<!-- not compiled -->"
  }

  /// The file's path relative to the root of the package.
  var path: String
  var pieces: [Piece]

  /// The complete output of the program, if a separate file has it.
  var output: String?

  var testDescription: String {
    "\(path):\(pieces.first?.line ?? 1)"
  }

  /// The address that samples use for a cluster.
  ///
  /// If etcd is not installed, they are only compiled.
  private static let clusterAddress = "http://127.0.0.1:2379"

  /// The program, with directives that map the compiler's diagnostics to the documentation.
  var program: String {
    pieces.map { piece in
      "#sourceLocation(file: \"\(path)\", line: \(piece.line))\n" + piece.code.joined(separator: "\n") + "\n"
    }.joined()
  }

  /// The output lines that the comments promise, in order.
  var promises: [String] {
    pieces.flatMap(\.code).compactMap { line in
      line.firstMatch(of: /\/\/ Prints "(.*)"\s*$/).map { String($0.output.1) }
    }
  }

  /// Admits the samples with a cluster one at a time, because servers that start together are slow.
  private static let clusters = Turnstile(permits: 1)

  /// Compiles and runs the program, and compares its output.
  func check() async throws {
    let needsCluster = program.contains(Self.clusterAddress)
    if needsCluster { await Self.clusters.enter() }
    do {
      try await checkNow(needsCluster: needsCluster)
    } catch {
      Issue.record(error)
    }
    if needsCluster { await Self.clusters.leave() }
  }

  private func checkNow(needsCluster: Bool) async throws {
    let location = SourceLocation(
      fileID: "DocumentationTests/\(path)",
      filePath: Project.root.appending(path: path).path(percentEncoded: false),
      line: pieces.first?.line ?? 1,
      column: 1
    )
    let isRun = !pieces.contains { $0.use == .onlyCompiled } && (!needsCluster || EtcdServer.executable != nil)
    // Each sample has a cluster of its own, at another address.
    let server = needsCluster && isRun ? try await EtcdServer.single() : nil
    let address = server?.url.absoluteString ?? Self.clusterAddress
    defer { withExtendedLifetime(server) {} }
    // What only happens to be so is noticed by many runs. A cluster keeps what the first run wrote.
    let runs = isRun ? Scale.count(1, torture: needsCluster ? 1 : 20) : 0
    switch try await SampleRunner.run(program.replacing(Self.clusterAddress, with: address), runs: runs) {
    case .compiled: break
    case .doesNotCompile(let diagnostics):
      Issue.record("\(testDescription) does not compile:\n\(diagnostics)", sourceLocation: location)
    case .failed(let errors):
      Issue.record("\(testDescription) failed:\n\(errors)", sourceLocation: location)
    case .ran(let outputs):
      for printed in outputs {
        if let output {
          #expect(printed == output, "\(testDescription) has different output", sourceLocation: location)
        }
        if !promises.isEmpty {
          let lines = printed.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
          #expect(lines == promises, "\(testDescription) has different output", sourceLocation: location)
        }
      }
    }
  }
}
