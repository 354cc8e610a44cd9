import FileSignals
import Testing

@Suite struct `A filter of files` {
  @Test func `without a condition includes everything, hidden or not`() {
    for path in ["a", ".a", "b/.a", ".b/a"] {
      #expect(FileFilter.all.matches(path))
      #expect(FileFilter.all.enters(path))
    }
  }

  @Test(arguments: [
    ("*.json", "a.json", true), ("*.json", "a.jsonl", false), ("*.json", "deep/er/a.json", true),
    ("*.json", ".a.json", false), (".*.json", ".a.json", true), ("*.json", "deep/.a.json", false),
    ("a?c", "abc", true), ("a[0-9]", "a7", true), ("a[!0-9]", "a7", false), ("\\*", "*", true), ("\\*", "a", false),
    ("themes/*.json", "themes/a.json", true), ("themes/*.json", "themes/deep/a.json", false),
    ("themes/*.json", "a.json", false), ("*/*.json", "themes/a.json", true), ("*/*.json", "themes/.a.json", false),
    ("", "a", false), ("[", "[", true), ("a[", "a[", true), ("[]a]", "]", true), ("[!]a]", "b", true),
    ("[a-]", "-", true),
    ("[z-a]", "m", false), ("*a*b*c", "xaxbxbxc", true), ("*a*b*c", "xaxbxbxcx", false), ("**", "abc", true),
    ("a*", "a", true), ("?", "ü", true), ("[à-ü]", "é", true), ("?.json", ".json", false), ("[.]a", ".a", false),
  ])
  func `compares names as the shell does`(_ pattern: String, _ path: String, _ isMatch: Bool) {
    #expect(FileFilter.names(pattern).matches(path) == isMatch)
  }

  @Test func `accepts several patterns, and hidden names on request`() {
    let filter = FileFilter.names("*.json", "*.plist", includingHidden: true)
    #expect(filter.matches(".a.json"))
    #expect(filter.matches("a.plist"))
    #expect(!filter.matches("a.txt"))
    #expect(filter.enters(".config"))
  }

  @Test func `enters directories whose names do not match, except hidden ones`() {
    let filter = FileFilter.names("*.json")
    #expect(filter.enters("themes"))
    #expect(!filter.enters(".git"))
    #expect(!filter.enters("themes/.git"))
  }

  @Test func `omits excluded directories`() {
    let filter = FileFilter.all.notEntering("node_modules").notEntering("Build*", "a/b")
    #expect(filter.matches("node_modules"))
    #expect(["node_modules", "deep/node_modules", "Build1", "a/b"].allSatisfy { !filter.enters($0) })
    #expect(["b", "a", "c/b", "a/b/c"].allSatisfy { filter.enters($0) })
  }

  @Test func `passes whole paths to a closure`() {
    let filter = FileFilter.paths { $0 == "a/b" }
    #expect(filter.matches("a/b"))
    #expect(!filter.matches("b"))
    #expect(filter.enters("x"))
  }
}
