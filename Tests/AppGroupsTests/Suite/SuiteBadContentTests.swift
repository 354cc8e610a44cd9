import AppGroups
import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@Suite("Suites with unusable content", .eachKernel)
struct SuiteBadContentTests {
  let fixture: Fixture
  let suite: AppGroupsSuite

  init() throws {
    fixture = try Fixture()
    suite = try fixture.suite()
  }

  @Test
  func `a value of another type is an error of its key, and the others are unharmed`() async throws {
    try fixture.overwrite("suite.json", with: #"{"size": "large", "theme": "dark"}"#)
    try await suite.signal(forKey: "theme", as: String.self).firstValue { $0 == "dark" }
    let error = #expect(throws: AppGroupsFileError.self) { try suite.value(forKey: "size", as: Int.self) }
    guard case .undecodableValue(suite.url, key: "size", type: "Int", _) = error else { throw try #require(error) }
    #expect(error?.description.contains("\"size\"") == true)
    #expect(try suite.value(forKey: "size", as: String.self) == "large", "another type may fit")
    #expect(suite.status.value == .current)
    try await suite.set("light", forKey: "theme")
    #expect(try suite.value(forKey: "size", as: String.self) == "large", "a change of another key leaves it alone")
  }

  @Test
  func `deeply nested values of others do not grow when another key is set`() async throws {
    let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
    let foreign = (0..<200).map { "\"deep\($0)\": \(deep)" }.joined(separator: ", ")
    try fixture.overwrite("suite.json", with: "{\(foreign)}")
    try await suite.firstValue { $0.keys.count == 200 }
    try await suite.set(1, forKey: "size")
    let text = try fixture.text(of: suite.url)
    #expect(text.utf8.count < 300_000, "\(text.utf8.count) bytes")
    #expect(text.filter { !$0.isWhitespace }.contains(deep))
    let read = try suite.read()
    #expect(read == suite.value)
    #expect(read.keys.count == 201)
  }

  @Test
  func `a value nested too deeply is rejected when it is set, and the suite stays readable`() throws {
    indirect enum Nested: Codable, Sendable {
      case leaf
      case array(Nested)

      init(depth: Int) {
        self = depth == 0 ? .leaf : .array(Nested(depth: depth - 1))
      }

      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        self = container.isAtEnd ? .leaf : .array(try container.decode(Nested.self))
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        if case .array(let inner) = self { try container.encode(inner) }
      }
    }
    try suite.set(Nested(depth: 500), forKey: "deep")
    for depth in [511, 512, 600] {
      let error = #expect(throws: AppGroupsFileError.self) {
        try suite.set(Nested(depth: depth), forKey: "deeper")
      }
      guard case .unencodableValue(suite.url, key: "deeper", _, _) = error else { throw try #require(error) }
    }
    #expect(try suite.read().keys == ["deep"])
    try suite.set(1, forKey: "size")
    #expect(try suite.read().keys == ["deep", "size"])
  }

  @Test
  func `errors in contents from another suite name the current file`() throws {
    let other = try fixture.suite("other.json")
    try other.set("large", forKey: "size")
    try suite.write(other.value)
    let error = #expect(throws: AppGroupsFileError.self) { try suite.value.value(forKey: "size", as: Int.self) }
    guard case .undecodableValue(suite.url, key: "size", _, _) = error else { throw try #require(error) }
  }

  @Test
  func `observers of a value of another type receive nil, and the failure once`() async throws {
    try await suite.set(1, forKey: "size")
    let failures = suite.failures.recorded()
    let sizes = [suite.signal(forKey: "size", as: Int.self).recorded(), suite.signal(forKey: "size").recorded()]
    try fixture.overwrite("suite.json", with: #"{"size": "large"}"#)
    for sizes in sizes { try await sizes.wait(for: "nil") { $0.count == 2 } }
    try await suite.set(2, forKey: "size")
    for sizes in sizes { #expect(sizes.elements == [1, nil, 2]) }
    #expect(failures.elements.count == 1)
  }

  @Test
  func `a typed value keeps its last good value, reports the failure, and recovers`() async throws {
    let size = suite.preference("size", default: 10)
    let other = suite.preference("other", default: 0)
    try await size.write(12)
    let sizes = size.recorded()
    let failures = size.failures.recorded()
    let others = other.failures.recorded()
    try fixture.overwrite("suite.json", with: #"{"size": "large", "other": 1}"#)
    let failure = try await failures.first("a failure") { _ in true }
    #expect(size.value == 12)
    #expect(size.status.value.failure == failure)
    #expect(other.value == 1 && other.status.value == .current)
    #expect(throws: failure) { try size.read() }
    #expect(throws: failure) { try size.update { $0 += 1 } }
    #expect(try fixture.text(of: suite.url).contains("large"), "it is kept unless a replacement is requested")
    try await size.update(overwriting: true) { $0 += 1 }
    #expect(size.status.value == .current)
    #expect(sizes.elements == [12, 13])
    #expect(failures.elements.count == 1 && others.elements.isEmpty)
  }

  @Test
  func `the last good value is the last one stored, even if older contents were restored`() async throws {
    let size = suite.preference("size", default: 10)
    try await size.write(12)
    let older = suite.value
    try await size.write(13)
    try await suite.write(older)
    try fixture.overwrite("suite.json", with: #"{"size": "large"}"#)
    _ = try await size.status.firstValue { $0 != .current }
    #expect(size.value == 12)
  }

  @Test
  func `the last good value stands after a switch, even if all values were removed before it was set`() async throws {
    let scope = Scope(root: fixture.directory.url.appending(path: "root"))
    let suite = try AppGroupsSuite(name: "suite.json", scope: scope, options: .init(durability: .process))
    let size = suite.preference("size", default: 10)
    try scope.switchContents {}
    try await suite.update { contents in
      contents.removeAll()
      try contents.set(12, forKey: "size")
    }
    try Data(#"{"size": "large"}"#.utf8).write(to: suite.url)
    _ = try await size.status.firstValue { $0 != .current }
    #expect(size.value == 12)
  }

  @Test
  func `a removed value is the default again, even after one of another type`() async throws {
    let size = suite.preference("size", default: 10)
    try await size.write(12)
    let sizes = size.recorded()
    for text in [#"{"size": "large"}"#, "{}", #"{"size": "small"}"#] {
      let failure = text != "{}"
      try fixture.overwrite("suite.json", with: text)
      try await size.status.firstValue { failure ? $0 != .current && $0 != .missing : $0 == .missing }
    }
    #expect(sizes.elements == [12, 10])
    #expect(size.value == 10)
  }

  @Test(arguments: [
    "", "{", "[]", "null", #"{"a": 1,}"#, #"{"a": 1} {}"#, "{\"a\": \"\u{1}\"}", "# comment", "{'a': 1}",
  ])
  func `a damaged file is reported, the last good values stand, and the next good content recovers`(content: String)
    async throws
  {
    try await suite.set(1, forKey: "a")
    let size = suite.preference("a", default: 0)
    let values = suite.signal(forKey: "a", as: Int.self).recorded()
    let failures = suite.failures.recorded()
    try fixture.overwrite("suite.json", with: content)
    let failure = try await failures.first("a failure") { _ in true }
    #expect(suite.status.value.failure == failure && size.status.value.failure == failure)
    #expect(size.value == 1)
    #expect(throws: failure) { try suite.set(2, forKey: "b") }
    #expect(try fixture.text(of: suite.url) == content, "the file is not repaired")
    try fixture.overwrite("suite.json", with: #"{"a": 3}"#)
    try await values.wait(for: "the recovery") { $0.count == 2 }
    #expect(values.elements == [1, 3])
    try await size.status.firstValue { $0 == .current }
  }

  @Test
  func `errors in a file are reported with line and column`() async throws {
    let failures = suite.failures.recorded()
    try fixture.overwrite("suite.json", with: "{\n  \"é\": 1,\n  \"é\": truth\n}")
    let failure = try await failures.first("a failure") { _ in true }
    #expect(failure.description.contains("expected a value on line 3, column 8"))
  }

  @Test
  func `setting a value never replaces an undecodable file`() throws {
    try suite.set(1, forKey: "a")
    let size = suite.preference("size", default: 10)
    try fixture.overwrite("suite.json", with: "{\"a\": 1, oops}")
    #expect(throws: AppGroupsFileError.self) { try size.update(overwriting: true) { $0 += 1 } }
    #expect(try fixture.text(of: suite.url).contains("oops"))
  }

  @Test
  func `a value of another type is reported even to subscribers that join after it was read`() throws {
    try suite.set("large", forKey: "size")
    #expect(suite.preference("size", default: 10).value == 10)
    #expect(suite.failures.recorded().elements.count == 1)
  }

  @Test
  func `a damaged file is replaced on request`() throws {
    try suite.set(1, forKey: "a")
    try fixture.overwrite("suite.json", with: "oops")
    try suite.update(overwriting: true) { try $0.set(2, forKey: "b") }
    #expect(suite.keys == ["a", "b"])
    try fixture.overwrite("suite.json", with: "oops")
    try suite.removeAll()
    #expect(try fixture.text(of: suite.url) == "{}\n")
  }

  @Test
  func `values of other versions survive a change, to the last digit`() throws {
    let foreign = [
      "12345678901234567890123456789.000", "-0", "-0.0", "1E+400", "0.10000000000000000000000001",
      #""\ud83e\uddf5 \/ \u00e9""#, #"{"z":1.50,"a":[1e2,null,{}],"z":2}"#, "[ ]", "true",
    ]
    let members = foreign.enumerated().map { "\"key\($0)\": \($1)" }.joined(separator: ", ")
    try fixture.overwrite("foreign.json", with: "{\(members)}")
    let suite = try fixture.suite("foreign.json")
    try suite.set(1, forKey: "ours")
    let text = try fixture.text(of: suite.url).filter { !$0.isWhitespace }
    for value in foreign { #expect(text.contains(value.filter { !$0.isWhitespace })) }
    #expect(suite.keys.count == foreign.count + 1)
  }
}
