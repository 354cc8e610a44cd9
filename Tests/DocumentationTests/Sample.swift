import Foundation
import Testing

/// One program that the documentation shows.
struct Sample: Sendable, CustomTestStringConvertible {
  /// A run of lines as they stand in the documentation.
  struct Piece: Sendable {
    /// The line of the file on which the code begins, counted from 1.
    var line: Int
    var code: [Substring]
  }

  /// The file's path, from the root of the package.
  var path: String
  var pieces: [Piece]

  /// All that the program prints, if that is written down in a file of its own.
  var output: String?

  var testDescription: String {
    "\(path):\(pieces.first?.line ?? 1)"
  }

  /// The program, in which whatever the compiler finds wrong has its place in the documentation.
  var program: String {
    pieces.map { piece in
      "#sourceLocation(file: \"\(path)\", line: \(piece.line))\n" + piece.code.joined(separator: "\n") + "\n"
    }.joined()
  }

  /// The lines that the comments promise, in order.
  var promises: [String] {
    pieces.flatMap(\.code).compactMap { line in
      line.firstMatch(of: /\/\/ Prints "(.*)"\s*$/).map { String($0.output.1) }
    }
  }

  /// Compiles and runs the program, and compares what it prints.
  func check() async throws {
    let location = SourceLocation(
      fileID: "DocumentationTests/\(path)",
      filePath: Project.root.appending(path: path).path(percentEncoded: false),
      line: pieces.first?.line ?? 1,
      column: 1
    )
    switch try await SampleRunner.run(program) {
    case .doesNotCompile(let diagnostics):
      Issue.record("\(testDescription) does not compile:\n\(diagnostics)", sourceLocation: location)
    case .failed(let errors):
      Issue.record("\(testDescription) failed:\n\(errors)", sourceLocation: location)
    case .ran(let printed):
      if let output {
        #expect(printed == output, "\(testDescription) prints something else", sourceLocation: location)
      }
      if !promises.isEmpty {
        let lines = printed.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        #expect(lines == promises, "\(testDescription) prints something else", sourceLocation: location)
      }
    }
  }
}
