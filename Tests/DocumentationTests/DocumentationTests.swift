import Foundation
import TestSupport
import Testing

/// Tests of all sample code in the project.
///
/// Each sample is a program that compiles without a warning, runs, and prints the lines that its comments
/// `// Prints "…"` promise. With `SIGNALS_TORTURE=1`, each runs 20 times.
///
/// Do not run these tests under a sanitizer: the samples link the objects of this build, which then need the
/// sanitizer's runtime.
@Suite("Documentation", .timeLimit(.minutes(Scale.isTorture ? 180 : 14)))
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

  /// The rows of a table below `Tests/Evidence`, each with its cells, without the head and the line below it.
  private func evidence(_ name: String) throws -> [[String]] {
    let lines = try Project.text("Tests/Evidence/\(name).md").split(separator: "\n")
    let heads = lines.indices.filter { lines[$0].hasPrefix("|---") }.map { $0 - 1 }
    return lines.indices.filter { lines[$0].hasPrefix("| ") && !heads.contains($0) }.map { row in
      lines[row].dropFirst().dropLast().split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  /// The words in backticks.
  private func names(in text: some StringProtocol) -> [Substring] {
    Substring(text).matches(of: /`([^`]*)`/).map(\.output.1)
  }

  @Test
  func `every law names existing suites`() throws {
    let rows = try evidence("Laws")
    let page = try Project.text("Docs.docc/Articles/TheLaws.md")
    let laws = page.split(separator: "\n").filter { $0.hasPrefix("#### ") }.map { String($0.dropFirst(5)) }
    #expect(laws.count == 30)
    for law in laws {
      #expect(rows.count { $0[0] == law && !names(in: $0[1]).isEmpty } == 1, "no suite shows the law \(law)")
    }
  }

  @Test
  func `every guarantee names existing suites`() throws {
    let rows = try evidence("Guarantees")
    let page = try Project.text("Docs.docc/Articles/Guarantees.md")
    let lines = (page.split(separator: "### What is not").first ?? "").split(separator: "\n")
    let guarantees = try lines.filter { $0.hasPrefix("- **") }.map { line in
      String(try #require(line.firstMatch(of: /- \*\*([^*]*)\.\*\* ./), "\(line)").output.1)
    }
    #expect(guarantees.count >= 113)
    #expect(guarantees == rows.map { $0[0] }, "the page and the table have the same guarantees in the same order")
    for row in rows { #expect(!names(in: row[1]).isEmpty, "no suite shows the guarantee \(row[0])") }
  }

  @Test
  func `every named suite exists`() throws {
    let tests = try Project.files(below: "Tests", endingWith: ".swift").map(Project.text).joined()
    let pages = try ["HowGuaranteesAreProved", "Security"].map { try Project.text("Docs.docc/Articles/\($0).md") }
    let misuse = try Project.text("Tests/Evidence/Misuse.md")
    let sentences = (pages + [misuse]).flatMap { page in
      page.matches(of: /\*Suites?:\* (`[^`]*`(, `[^`]*`)*)/).map { String($0.output.1) }
    }
    let rows = try (evidence("Laws") + evidence("Guarantees")).map { $0[1] }
    let suites = (sentences + rows).flatMap(names)
    #expect(suites.count > 300)
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
    let rows = try evidence("OlderSystems")
    #expect(rows.count == 130)
    // The others do what their users expect. A row that changes on purpose says why.
    #expect(rows.count { $0[1].contains(/\*\*changed:\*\* .{20,}/) } == 16)
    #expect(rows.count { $0[1] == "as before" } == rows.count - 16)
    for row in rows {
      try #require(row.count == 3, "\(row)")
      let named = names(in: row[2])
      #expect(!named.isEmpty, "\(row[0]) names no test")
      for test in named { #expect(known[test] == 1, "\(row[0]): \(known[test, default: 0]) tests are called \(test)") }
    }
  }

  @Test
  func `every behaviour of flags in production names the test that shows it`() throws {
    let files = try Project.files(below: "Tests/TweaksTests", endingWith: ".swift")
    let tests = try files.map(Project.text).joined()
    let rows = try evidence("Flags")
    #expect(rows.count == 41)
    for row in rows {
      let test = try #require(row[1].wholeMatch(of: /`([^`]*)`/)?.output.1, "\(row)")
      #expect(tests.contains("func `\(test)`"), "no test is called \(test)")
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
