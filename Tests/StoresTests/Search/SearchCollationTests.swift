import Foundation
import TestSupport
import Testing

@testable import Stores

/// A collation for which all texts of one length are equal.
private let byLength = DatabaseCollation("by_length") { first, second in
  first.count < second.count ? .orderedAscending : first.count > second.count ? .orderedDescending : .orderedSame
}

/// A model whose searched text has a collation of the application.
private struct Heading: StoreModel, Hashable {
  static let table = TableSpec(
    "heading", collations: ["title": "by_length"], search: SearchIndex(["title"]))
  var id: Int
  var title: String
}

/// A model whose key is equal to keys that differ in case.
private struct Tag: StoreModel, Hashable {
  static let table = TableSpec("tag", collations: ["id": .nocase], search: SearchIndex(["title"]))
  var id: String
  var title: String
}

@Suite("Full-text indexes over columns with collations", .patient)
struct SearchCollationTests {
  private static let schema = Schema(version: 1, models: [Heading.self, Tag.self])

  private func database(at url: URL? = nil) throws -> Database {
    try Database(url.map(DatabaseLocation.file) ?? .memory, schema: Self.schema, collations: [byLength])
  }

  private func found(_ text: String, in database: Database) throws -> [String] {
    try database.read { try $0.all(Tag.matching(text)).map(\.id) }
  }

  @Test func `a text that its collation finds equal to the old one is found`() throws {
    let database = try database()
    try database.write { try $0.put(Heading(id: 1, title: "one")) }
    try database.write { try $0.put(Heading(id: 1, title: "two")) }
    #expect(try database.read { try $0.count(Heading.matching("two")) } == 1)
    #expect(try database.read { try $0.count(Heading.matching("one")) } == 0)
    #expect(try database.integrityCheck() == [])
  }

  @Test func `a row whose key changes only in case is found`() throws {
    let database = try database()
    try database.write { try $0.put([Tag(id: "a", title: "milk"), Tag(id: "b", title: "tea")]) }
    try database.write { try $0.execute("UPDATE tag SET id = 'A' WHERE id = 'a'") }
    #expect(try found("milk", in: database) == ["A"])
    let snippets = try database.read { try $0.matches(Tag.matching("milk")).map { $0.snippet.marked("<", ">") } }
    #expect(snippets == ["<milk>"])
    try database.write { try $0.execute("UPDATE OR REPLACE tag SET id = 'B' WHERE id = 'A'") }
    #expect(try found("milk", in: database) == ["B"])
    #expect(try found("tea", in: database) == [])
    try database.write { try $0.put(Tag(id: "b", title: "water")) }
    #expect(try found("water", in: database) == ["b"], "the row has the key that was put")
    #expect(try database.integrityCheck() == [])
  }

  @Test func `a search looks its rows up by their keys`() throws {
    let query = try Tag.matching("milk").compiled(in: ModelLayout.of(Tag.self))
    let plan = try database().read { transaction throws in
      try transaction.connection.rows("EXPLAIN QUERY PLAN \(query.sql)", query.arguments)
    }
    let steps = plan.compactMap { $0["detail"].stringValue }
    #expect(steps.contains { $0.hasPrefix("SEARCH") && $0.contains("sqlite_autoindex_tag_1") }, "\(steps)")
  }

  @Test func `the integrity check finds a key that the index has in another case`() throws {
    let database = try database()
    try database.write { try $0.put(Tag(id: "a", title: "milk")) }
    let trigger = "signals_search_update `tag`"
    let sql = try database.read { try $0.value("SELECT sql FROM sqlite_schema WHERE name = ?", trigger).stringValue }
    try database.write { transaction throws in
      try transaction.execute("DROP TRIGGER \(SQL.name(trigger))")
      try transaction.execute("UPDATE tag SET id = 'A'")
      try transaction.execute(try #require(sql))
    }
    #expect(try database.integrityCheck() == [.searchIndex("signals_search `tag`")])
    try database.write { try $0.rebuildSearchIndex(of: Tag.self) }
    #expect(try database.integrityCheck() == [])
    #expect(try found("milk", in: database) == ["A"])
  }

  // MARK: Files of earlier versions

  /// The objects of an index as earlier versions created them, which compared by the columns' collations.
  private static let earlier = """
    DROP TRIGGER `signals_search_update ``tag```;
    DROP TRIGGER `signals_search_update ``heading```;
    DROP VIEW `signals_search_text ``tag```;
    CREATE VIEW `signals_search_text ``tag``` AS SELECT number, `tag`.`title` AS `title` FROM `signals_search_numbers ``tag```
      JOIN `tag` ON `tag`.`id` = `signals_search_numbers ``tag```.key;
    CREATE TRIGGER `signals_search_update ``tag``` AFTER UPDATE OF `id`, `title` ON `tag`
      WHEN old.`id` IS NOT new.`id` OR old.`title` IS NOT new.`title` BEGIN
        INSERT INTO `signals_search ``tag``` (`signals_search ``tag```, rowid, `title`)
          SELECT 'delete', number, old.`title` FROM `signals_search_numbers ``tag``` WHERE key = old.`id`;
        UPDATE `signals_search_numbers ``tag``` SET key = new.`id` WHERE key = old.`id`;
        INSERT INTO `signals_search ``tag``` (rowid, `title`)
          SELECT number, new.`title` FROM `signals_search_numbers ``tag``` WHERE key = new.`id`; END;
    CREATE TRIGGER `signals_search_update ``heading``` AFTER UPDATE OF `id`, `title` ON `heading`
      WHEN old.`id` IS NOT new.`id` OR old.`title` IS NOT new.`title` BEGIN
        INSERT INTO `signals_search ``heading``` (`signals_search ``heading```, rowid, `title`)
          VALUES ('delete', old.`id`, old.`title`);
        INSERT INTO `signals_search ``heading``` (rowid, `title`) VALUES (new.`id`, new.`title`); END;
    """

  @Test func `the index of a file that an earlier version wrote is made anew`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("tags.sqlite")
    do {
      let database = try database(at: file)
      try database.write { transaction throws in
        try transaction.put([Tag(id: "a", title: "milk"), Tag(id: "b", title: "tea")])
        try transaction.put(Heading(id: 1, title: "one"))
        try transaction.execute(script: Self.earlier)
        try transaction.execute("UPDATE tag SET id = 'A' WHERE id = 'a'")
        try transaction.execute("UPDATE heading SET title = 'two'")
      }
    }
    do {
      // Such a process may not change the file, and uses it as it is.
      let guest = try Database(.file(file), schema: Self.schema, policy: .guest, collations: [byLength])
      #expect(try guest.read { try $0.all(Tag.matching("tea")).map(\.id) } == ["b"])
    }
    for _ in 0..<2 {
      let database = try database(at: file)
      #expect(try found("milk", in: database) == ["A"])
      #expect(try database.read { try $0.count(Heading.matching("two")) } == 1)
      #expect(try database.integrityCheck() == [])
      try database.write { try $0.execute("UPDATE tag SET id = lower(id)") }
      #expect(try found("milk", in: database) == ["a"])
      try database.write { try $0.execute("UPDATE tag SET id = upper(id)") }
    }
  }
}
