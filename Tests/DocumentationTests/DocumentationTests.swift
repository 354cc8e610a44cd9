import Testing

/// Every piece of sample code that the project shows is a program that compiles without a warning, runs, and prints
/// what its comments `// Prints "…"` say.
///
/// Not to be run under a sanitizer: the samples link the objects of this build, which then need the sanitizer's
/// runtime.
@Suite("Documentation", .timeLimit(.minutes(14)))
struct DocumentationTests {
  @Test(arguments: try Sample.inDocComments())
  func `an example in a doc comment runs as it says`(_ sample: Sample) async throws {
    try await sample.check()
  }

  @Test(arguments: try Sample.inArticles())
  func `the examples of an article together run as they say`(_ sample: Sample) async throws {
    try await sample.check()
  }

  @Test(arguments: try Sample.inTutorials())
  func `a step of a tutorial runs as it says`(_ sample: Sample) async throws {
    try await sample.check()
  }

  @Test(arguments: try Sample.inPlaygrounds())
  func `a playground page runs as it says`(_ sample: Sample) async throws {
    try await sample.check()
  }

  @Test
  func `every law and every guarantee names suites that exist`() throws {
    let tests = try Project.files(below: "Tests", endingWith: ".swift").map(Project.text).joined()
    let names = ["TheLaws", "GuaranteesAndTheirTests"]
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
  func `every guarantee has an entry in the appendix of tests`() throws {
    func labels(_ name: String) throws -> [String] {
      let text = try Project.text("Docs.docc/Articles/\(name).md")
      let guarantees = text.split(separator: "### What is not").first ?? ""
      return guarantees.matches(of: /^- \*\*([^*]*\.)\*\*/.anchorsMatchLineEndings()).map { String($0.output.1) }
    }
    let guarantees = try labels("Guarantees")
    #expect(guarantees.count > 20)
    #expect(try labels("GuaranteesAndTheirTests") == guarantees)
  }

  @Test
  func `no kind of sample has gone missing`() throws {
    #expect(try !Sample.inDocComments().isEmpty)
    #expect(try !Sample.inArticles().isEmpty)
    #expect(try !Sample.inTutorials().isEmpty)
    #expect(try !Sample.inPlaygrounds().isEmpty)
  }
}
