import Foundation
import Testing

/// Tests of all sample code in the project.
///
/// Each sample is a program that compiles without a warning, runs, and prints the lines that its comments
/// `// Prints "…"` promise.
///
/// Do not run these tests under a sanitizer: the samples link the objects of this build, which then need the
/// sanitizer's runtime.
@Suite("Documentation", .timeLimit(.minutes(14)))
struct DocumentationTests {
  @Test(arguments: try Sample.inDocComments())
  func `an example in a doc comment runs and prints as promised`(_ sample: Sample) async throws {
    try await sample.check()
  }

  @Test(arguments: try Sample.inArticles())
  func `the examples of an article run together and print as promised`(_ sample: Sample) async throws {
    try await sample.check()
  }

  @Test(arguments: try Sample.inTutorials())
  func `a step of a tutorial runs and prints as promised`(_ sample: Sample) async throws {
    try await sample.check()
  }

  @Test(arguments: try Sample.inPlaygrounds())
  func `a playground page runs and prints as promised`(_ sample: Sample) async throws {
    try await sample.check()
  }

  @Test
  func `every law and every guarantee names existing suites`() throws {
    let tests = try Project.files(below: "Tests", endingWith: ".swift").map(Project.text).joined()
    let names = ["TheLaws", "Guarantees", "HowGuaranteesAreProved"]
    let articles = try names.map { try Project.text("Docs.docc/Articles/\($0).md") }.joined()
    let suites = articles.matches(of: /\*Suites?:\* (`.*`)\.$/.anchorsMatchLineEndings()).flatMap { match in
      match.output.1.matches(of: /`([^`]*)`/).map(\.output.1)
    }
    #expect(suites.count > 20)
    for suite in suites {
      let exists = tests.contains("@Suite(\"\(suite)\"") || tests.contains("struct `\(suite)`")
      #expect(exists, "no suite is called \(suite)")
    }
  }

  @Test
  func `every feature of the older systems names the tests that show it`() throws {
    // The tests of nested packages run in a step of their own.
    let nested = try Project.files(below: "Playgrounds", endingWith: ".swift").filter { $0.contains("/Tests/") }
    let files = try Project.files(below: "Tests", endingWith: ".swift") + nested
    let known = try files.map(Project.text).joined().matches(of: /func `([^`]*)`/).reduce(into: [Substring: Int]()) {
      $0[$1.output.1, default: 0] += 1
    }
    let page = try Project.text("Docs.docc/Articles/OlderSystems.md")
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| feature |") }
    #expect(rows.count == 130)
    // The others do what their users expect. A row that changes on purpose says why.
    #expect(rows.count { $0.contains(/\*\*changed:\*\* [^|]{20,} \|/) } == 16)
    #expect(rows.count { $0.contains("**changed") } == 16)
    for row in rows {
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      try #require(cells.count == 3, "\(row)")
      let feature = cells[0]
      #expect(!cells[1].isEmpty, "\(feature) is nowhere today")
      let named = cells[2].matches(of: /`([^`]*)`/).map(\.output.1)
      #expect(!named.isEmpty, "\(feature) names no test")
      for test in named { #expect(known[test] == 1, "\(feature): \(known[test, default: 0]) tests are called \(test)") }
    }
  }

  @Test
  func `every behaviour of flags in production names the test that shows it`() throws {
    let files = try Project.files(below: "Tests/TweaksTests", endingWith: ".swift")
    let tests = try files.map(Project.text).joined()
    let page = try Project.text("Docs.docc/Articles/FlagsAcceptance.md")
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| case |") }
    #expect(rows.count == 41)
    for row in rows {
      let test = try #require(row.wholeMatch(of: /\|.*\| `([^`]*)` \|/)?.output.1, "\(row)")
      #expect(tests.contains("func `\(test)`"), "no test is called \(test)")
    }
  }

  @Test
  func `every guarantee ends with its suites`() throws {
    let page = try Project.text("Docs.docc/Articles/Guarantees.md")
    let lines = (page.split(separator: "### What is not").first ?? "").split(separator: "\n")
    let guarantees = lines.filter { $0.hasPrefix("- **") }
    #expect(guarantees.count >= 113)
    for guarantee in guarantees {
      #expect(guarantee.wholeMatch(of: /- \*\*[^*]*\.\*\* .*\*Suites?:\* (`[^`]*`(, )?)+\./) != nil, "\(guarantee)")
    }
  }

  @Test
  func `every kind of sample is found`() throws {
    #expect(try !Sample.inDocComments().isEmpty)
    #expect(try !Sample.inArticles().isEmpty)
    #expect(try !Sample.inTutorials().isEmpty)
    #expect(try !Sample.inPlaygrounds().isEmpty)
  }
}
