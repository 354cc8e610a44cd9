import Foundation
import Testing

@Suite("Pages about this package")
struct PagesTests {
  private static let package = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL

  /// The lines of a text without their indentation, as one text.
  private func unindented(_ lines: some Sequence<Substring>) -> String {
    lines.map { $0.trimmingCharacters(in: .whitespaces) + "\n" }.joined()
  }

  private func code(of page: String) throws -> [String] {
    let url = Self.package.appending(path: "../../Docs.docc/Articles/\(page).md")
    let text = try String(contentsOf: url, encoding: .utf8)
    return text.split(separator: "```swift\n").dropFirst().map { part in
      unindented(part.split(separator: "\n").prefix { $0 != "```" })
    }
  }

  @Test(arguments: ["SwiftLog", "SwiftMetrics", "ServiceLifecycle"])
  func `the code of a page is code of the package`(page: String) throws {
    let files = ["Sources/Letters/main.swift", "Tests/ServicesTests/LoggingTests.swift"]
    let sources = try files.map { file in
      let text = try String(contentsOf: Self.package.appending(path: file), encoding: .utf8)
      return "\n" + unindented(text.split(separator: "\n"))
    }
    let code = try code(of: page)
    #expect(!code.isEmpty)
    for code in code {
      #expect(sources.contains { $0.contains("\n" + code) }, "not in the package:\n\(code)")
    }
  }
}
