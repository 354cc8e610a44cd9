import Testing

/// Every piece of sample code that the project shows is a program that compiles without a warning, runs, and prints what its
/// comments `// Prints "…"` say.
///
/// Not to be run under a sanitizer: the samples link the objects of this build, which then need the sanitizer's runtime.
@Suite("Documentation", .timeLimit(.minutes(5)))
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
  func `no kind of sample has gone missing`() throws {
    #expect(try !Sample.inDocComments().isEmpty)
    #expect(try !Sample.inArticles().isEmpty)
    #expect(try !Sample.inTutorials().isEmpty)
    #expect(try !Sample.inPlaygrounds().isEmpty)
  }
}
