import Containers
import Foundation
import Testing

/// The layout of the roots that a test opens.
enum RootLayout: String, Sendable, CaseIterable {
  /// All entries are switched, except the records.
  case plain

  /// The sandbox of an app on Apple's systems, whose folders and preferences belong to the system.
  case sandbox

  @TaskLocal static var current = RootLayout.plain

  /// The directory of the records, relative to the root.
  var hidden: String { self == .plain ? ".containers" : "Library/.containers" }

  /// Creates the directories that the system creates.
  func prepare(_ root: URL) throws {
    guard self == .sandbox else { return }
    for path in ["Documents", "Library/Caches", "Library/Application Support", "Library/Preferences", "tmp"] {
      try FileManager.default.createDirectory(at: root.appending(path: path), withIntermediateDirectories: true)
    }
  }

  func open(_ root: URL) throws -> AppContainer {
    switch self {
    case .plain: try AppContainer(home: root)
    case .sandbox: try AppContainer(sandbox: root)
    }
  }

  /// Returns whether a path belongs to no environment.
  func isKept(_ path: String) -> Bool {
    if path == hidden || path.hasPrefix(hidden + "/") { return true }
    guard self == .sandbox else { return false }
    let fixed = ["Documents", "Library", "Library/Caches", "Library/Application Support"]
    return fixed.contains(path) || ["tmp", "Library/Preferences"].contains { path == $0 || path.hasPrefix($0 + "/") }
  }
}

/// A trait that runs each test of a suite with each layout of a root.
struct EachLayout: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    for layout in RootLayout.allCases {
      // The comment tells which run has failed.
      let marking = IssueHandlingTrait.compactMapIssues { issue in
        var issue = issue
        issue.comments.append("with the layout \(layout)")
        return issue
      }
      try await RootLayout.$current.withValue(layout) {
        try await marking.provideScope(for: test, testCase: testCase, performing: function)
      }
    }
  }
}

extension Trait where Self == EachLayout {
  /// Runs each test with each layout of a root.
  static var eachLayout: Self { EachLayout() }
}
