import Foundation
import Testing

/// Programs of the older systems on the pages that say how to port them, each with its port.
///
/// Another test runs the ports, and `.ci/platforms` type-checks those for Apple's platforms.
@Suite("Programs of the older systems")
struct OlderProgramsTests {
  /// The code of a section of a page.
  private func fences(below heading: String, of page: String) throws -> [Sample.Piece] {
    let lines = try Project.text("Docs.docc/Articles/\(page).md").split(
      separator: "\n", omittingEmptySubsequences: false)
    let begin = try #require(lines.firstIndex { $0 == heading }, "\(page) has no section \(heading)")
    let end = lines[(begin + 1)...].firstIndex { $0.hasPrefix("###") } ?? lines.endIndex
    return Sample.allFences(in: Array(lines[begin..<end]))
  }

  /// The lines that are neither empty nor only a comment or an import.
  private func codeLines(_ piece: Sample.Piece) -> [Substring] {
    piece.code.filter { line in
      let text = line.drop { $0 == " " }
      return !text.isEmpty && !text.hasPrefix("//") && !text.hasPrefix("import ")
    }
  }

  @Test(
    arguments: [
      ("ComingFromAppContainer", 2), ("ComingFromSwiftyArchitecture", 1), ("ComingFromAppGroupsFile", 2),
      ("ComingFromJustTweak", 3), ("ComingFromCDShare", 2),
    ])
  func `a program is not longer after it was ported`(_ page: String, count: Int) throws {
    let fences = try fences(below: "### A program, before and after", of: page)
    let programs = fences.indices.filter { fences[$0].use == .notCompiled }
    #expect(programs.count == count)
    for index in programs {
      try #require(index + 1 < fences.count, "\(page) has no port of its program \(index)")
      let (older, port) = (fences[index], fences[index + 1])
      #expect(
        [.run, .compiledForApple].contains(port.use), "the code after an older program is its port, which is compiled")
      let (before, after) = (codeLines(older), codeLines(port))
      #expect(after.count <= before.count, "\(page): \(after.count) lines replace \(before.count)")
      // A line that is too long would hide others.
      for line in before + after { #expect(line.count <= 120, "\(page): \(line)") }
    }
  }
}
