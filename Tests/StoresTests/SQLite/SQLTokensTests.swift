import Testing

@testable import Stores

@Suite("Tokens of SQL")
struct SQLTokensTests {
  @Test func `texts that mean the same have equal tokens`() {
    let expected = SQLTokens("CHECK (name <> 'it''s')")
    for sql in [
      "check(\"NAME\"<>'it''s')", "CHECK ( [name] /* it's */ <> 'it''s' ) -- a comment", "check\n(`name`<>\t'it''s')",
    ] {
      #expect(SQLTokens(sql) == expected, "\(sql)")
    }
    for sql in [
      "check (name <> 'its')", "check (name <> 'IT''S')", "check (names <> 'it''s')", "check (name < 'it''s')",
    ] {
      #expect(SQLTokens(sql) != expected, "\(sql)")
    }
  }

  @Test(arguments: ["", "'", "\"", "`", "[", "/*", "--", "(", ")", "))((", "a(", "'a''", "\"\u{301}", "/*/", "a,b)"])
  func `incomplete texts have tokens`(_ sql: String) {
    let tokens = SQLTokens(sql)
    _ = tokens.elements
    _ = tokens.expressions(after: "a")
    #expect(tokens.token(after: "zz") == nil)
  }

  @Test func `a quotation mark with an accent after it is quoted`() throws {
    let name = "a`\u{301}; b'\u{301} c"
    let connection = try SQLiteConnection(path: ":memory:", access: .writing, busyTimeout: .zero)
    try connection.execute("CREATE TABLE \(SQL.name(name)) (a TEXT DEFAULT \(SQLiteValue.text(name)))")
    try connection.execute("INSERT INTO \(SQL.name(name)) DEFAULT VALUES")
    #expect(try connection.value("SELECT a FROM \(SQL.name(name))") == .text(name))
    #expect(try connection.tableNames() == [name])
  }

  @Test func `the semicolon at the end of a statement is found by scalars, as SQLite finds it`() {
    let end = ";\u{301}"
    for (sql, statement) in [
      ("SELECT 1; ", "SELECT 1"), ("SELECT 1; -- one\n", "SELECT 1"), ("SELECT 1; /* ; */ ;", "SELECT 1"),
      ("SELECT 'a;' ;", "SELECT 'a;' "), ("SELECT '\u{301}a' ; ", "SELECT '\u{301}a' "),
      ("SELECT '\u{301};'", "SELECT '\u{301};'"),
      ("SELECT [\u{301};] /*\u{301};*/ ;", "SELECT [\u{301};] /*\u{301};*/ "),
      ("SELECT 1; SELECT 2", "SELECT 1; SELECT 2"), ("SELECT 1" + end, "SELECT 1" + end),
    ] {
      #expect(SQL.withoutEnd(sql) == statement)
    }
  }
}
