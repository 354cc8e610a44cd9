import AppGroups
import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@Suite("Values by name", .eachKernel)
struct SuiteTests {
  let fixture: Fixture
  let suite: AppGroupsSuite

  init() throws {
    fixture = try Fixture()
    suite = try fixture.suite()
  }

  @Test
  func `values of all kinds are read back as set, from this object, another one, and the file`() throws {
    let note = Note(count: 3, text: "three")
    try suite.set(true, forKey: "bool")
    try suite.set(1, forKey: "one")
    try suite.set(Int.max, forKey: "large")
    try suite.set(0.1, forKey: "double")
    try suite.set("text", forKey: "string")
    try suite.set(Data([0, 255]), forKey: "data")
    try suite.set(Date(timeIntervalSinceReferenceDate: 12.5), forKey: "date")
    try suite.set(URL(string: "https://example.org/path?x=1#y"), forKey: "url")
    try suite.set([1, 2, 3], forKey: "array")
    try suite.set(["a": ["b": 1]], forKey: "nested")
    try suite.set(note, forKey: "note")
    for suite in [suite, try fixture.suite()] {
      #expect(try suite.value(forKey: "bool", as: Bool.self) == true)
      #expect(try suite.value(forKey: "one", as: Int.self) == 1)
      #expect(try suite.value(forKey: "large", as: Int.self) == Int.max)
      #expect(try suite.value(forKey: "double", as: Double.self) == 0.1)
      #expect(try suite.value(forKey: "string", as: String.self) == "text")
      #expect(try suite.value(forKey: "data", as: Data.self) == Data([0, 255]))
      #expect(try suite.value(forKey: "date", as: Date.self) == Date(timeIntervalSinceReferenceDate: 12.5))
      #expect(try suite.value(forKey: "url", as: URL.self) == URL(string: "https://example.org/path?x=1#y"))
      #expect(try suite.value(forKey: "array", as: [Int].self) == [1, 2, 3])
      #expect(try suite.value(forKey: "nested", as: [String: [String: Int]].self) == ["a": ["b": 1]])
      #expect(try suite.value(forKey: "note", as: Note.self) == note)
      #expect(suite.keys.count == 11)
    }
    #expect(try suite.read() == suite.value)
  }

  @Test
  func `the file is readable JSON, private to the user`() throws {
    try suite.set("dark", forKey: "theme")
    try suite.set(Note(count: 1, text: "a/b"), forKey: "note")
    try suite.set([Int](), forKey: "empty")
    try suite.synchronize()
    let text = """
      {
        "empty" : [],
        "note" : {
          "count" : 1,
          "text" : "a/b"
        },
        "theme" : "dark"
      }

      """
    #expect(try fixture.text(of: suite.url) == text)
    let mode = try FileManager.default.attributesOfItem(atPath: suite.url.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test(arguments: [
    "", " ", ".", "a.b", "../up", "a/b", "\"quoted\"", "new\nline", "\u{0}\u{1F}", "é", "e\u{301}", "🧵",
  ])
  func `any string is a key`(key: String) throws {
    try suite.set("before", forKey: "another")
    try suite.set(key, forKey: key)
    #expect(try suite.value(forKey: key, as: String.self) == key)
    let other = try fixture.suite()
    #expect(try other.value(forKey: key, as: String.self) == key)
    #expect(other.keys.count == 2)
    try other.removeValue(forKey: key)
    #expect(!other.value.contains(key))
  }

  @Test
  func `keys that look alike but differ in bytes are separate`() throws {
    try suite.set(1, forKey: "é")
    try suite.set(2, forKey: "e\u{301}")
    #expect(try suite.value(forKey: "é", as: Int.self) == 1)
    #expect(try fixture.suite().keys.count == 2)
  }

  @Test
  func `a value disappears when it is removed or set to nil`() throws {
    try suite.set(1, forKey: "one")
    try suite.set(2, forKey: "two")
    try suite.removeValue(forKey: "one")
    #expect(suite.keys == ["two"])
    try suite.set(Int?.none, forKey: "two")
    #expect(suite.keys.isEmpty)
    #expect(try suite.value(forKey: "two", as: Int.self) == nil)
    try suite.synchronize()
    #expect(try fixture.text(of: suite.url) == "{}\n")
  }

  @Test
  func `setting an equal value causes no event and no write`() throws {
    try suite.set(["b": 1, "a": 2], forKey: "value")
    let changes = suite.changes.map(\.keys).recorded()
    let before = try FileManager.default.attributesOfItem(atPath: suite.url.path)[.systemFileNumber] as? Int
    try suite.set(["a": 2, "b": 1], forKey: "value")
    try suite.removeValue(forKey: "none")
    #expect(try FileManager.default.attributesOfItem(atPath: suite.url.path)[.systemFileNumber] as? Int == before)
    #expect(changes.elements.isEmpty)
  }

  @Test
  func `several keys change together or not at all`() throws {
    struct Refusal: Error {}
    let contents = suite.recorded()
    try suite.update { contents in
      try contents.set(1, forKey: "one")
      try contents.set(2, forKey: "two")
      #expect(throws: AppGroupsFileError.nestedUpdate(suite.url)) { try suite.set(3, forKey: "three") }
    }
    #expect(throws: Refusal.self) {
      try suite.update { contents in
        contents.removeAll()
        throw Refusal()
      }
    }
    #expect(suite.keys == ["one", "two"])
    #expect(contents.elements.map(\.keys) == [[], ["one", "two"]])
  }

  @Test
  func `values that JSON cannot represent are rejected with name and type`() throws {
    let error = #expect(throws: AppGroupsFileError.self) { try suite.set(Double.infinity, forKey: "size") }
    guard case .unencodableValue(suite.url, key: "size", type: "Double", _) = error else {
      throw try #require(error)
    }
    #expect(suite.keys.isEmpty)
  }

  @Test
  func `registered defaults are read but never written, and belong to one object`() throws {
    let key = SuiteKey("size", default: 1)
    let sizes = suite.signal(forKey: "size", as: Int.self).recorded()
    try suite.register(defaults: ["size": 10, "theme": "light"])
    #expect(try suite.value(forKey: "theme", as: String.self) == "light")
    #expect(suite.preference(key).value == 10)
    #expect(suite.keys.isEmpty && !suite.value.contains("size"))
    #expect(try fixture.suite().preference(key).value == 1)
    try suite.preference(key).write(5)
    try suite.preference(key).reset()
    #expect(sizes.elements == [nil, 10, 5, 10])
    try suite.synchronize()
    #expect(try fixture.text(of: suite.url) == "{}\n")
  }

  @Test
  func `null counts as a missing value, unless the type can represent it`() throws {
    try fixture.overwrite("null.json", with: #"{"a": null}"#)
    let suite = try fixture.suite("null.json")
    #expect(try suite.value(forKey: "a", as: Int.self) == nil)
    #expect(suite.preference("a", default: 7).value == 7)
    #expect(suite.preference("a", default: Int?.some(7)).value == nil)
    let preference = suite.preference("b", default: Int?.some(7))
    try preference.write(nil)
    #expect(preference.value == nil)
    try preference.reset()
    #expect(preference.value == 7)
  }

  @Test
  func `tasks change a suite without blocking their threads`() async throws {
    let key = SuiteKey("typed", default: 0)
    try await suite.set(1, forKey: "one")
    try await suite.preference(key).write(2)
    try await suite.update { contents in try contents.set(contents.value(for: key) + 1, for: key) }
    #expect(suite.preference(key).value == 3)
    try await suite.removeValue(forKey: "one")
    try await suite.preference(key).reset()
    #expect(suite.keys.isEmpty)
    try await suite.set(1, forKey: "one")
    try await suite.removeAll()
    #expect(suite.keys.isEmpty)
  }

  @Test
  func `a suite opens any file by its URL, and creates none`() throws {
    let url = fixture.directory.file("elsewhere.json")
    let suite = try AppGroupsSuite(url: url, options: .init(durability: .process))
    #expect(suite.status.value == .missing)
    #expect(!FileManager.default.fileExists(atPath: url.path))
    try suite.set(1, forKey: "one")
    #expect(suite.status.value == .current)
    #expect(try fixture.text(of: url) == "{\n  \"one\" : 1\n}\n")
  }

  @Test(.seeded)
  func `the file stays sorted, whatever this program and others add, change and remove`() throws {
    var chance = Chance()
    var expected: [String: Int] = [:]
    for round in 0..<300 {
      if chance.once(in: 10) {
        let members = expected.shuffled(using: &chance).map { "\"\($0.key)\": \($0.value)" }
        try Data("{\(members.joined(separator: ", "))}".utf8).write(to: suite.url)
      }
      let names = (0...chance.number(below: 3)).map { _ in "k\(chance.number(below: 60))" }
      let isRemoval = chance.once(in: 3)
      try suite.update { contents in
        for name in names { try contents.set(isRemoval ? nil : round, forKey: name) }
      }
      for name in names { expected[name] = isRemoval ? nil : round }
      // An update that changes nothing leaves the order of the other program.
      try suite.set(round, forKey: "last")
      expected["last"] = round
      if chance.once(in: 2) { continue }
      try suite.synchronize()
      let lines = expected.sorted { $0.key < $1.key }.map { "  \"\($0.key)\" : \($0.value)" }
      #expect(try fixture.text(of: suite.url) == "{\n\(lines.joined(separator: ",\n"))\n}\n")
    }
  }
}
