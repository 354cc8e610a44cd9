import AppGroups
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@Suite("The signals of single keys", .eachKernel)
struct SuiteSignalTests {
  let fixture: Fixture
  let suite: AppGroupsSuite

  init() throws {
    fixture = try Fixture()
    suite = try fixture.suite()
  }

  @Test
  func `a change of one key wakes no observer of another`() throws {
    let themes = suite.signal(forKey: "theme", as: String.self).recorded()
    let sizes = suite.signal(forKey: "size", as: Int.self).recorded()
    try suite.set("dark", forKey: "theme")
    try suite.set(1, forKey: "size")
    try suite.set(2, forKey: "size")
    try suite.removeValue(forKey: "size")
    #expect(themes.elements == [nil, "dark"])
    #expect(sizes.elements == [nil, 1, 2, nil])
  }

  @Test
  func `a change by another process is read, and a new layout alone is no change`() async throws {
    try await suite.set(["a": 1, "b": 2], forKey: "value")
    let values = suite.signal(forKey: "value", as: [String: Int].self).recorded()
    let markers = suite.signal(forKey: "marker", as: Int.self)
    let changes = suite.changes.map(\.keys).recorded()
    try fixture.overwrite("suite.json", with: "\u{FEFF}{\"marker\":1,\r\n\t\"value\":{\"a\":1,\"b\":2}}")
    try await markers.firstValue { $0 == 1 }
    try fixture.overwrite("suite.json", with: #"{"marker": 2, "value": {"a": 3}}"#)
    try await markers.firstValue { $0 == 2 }
    try await values.wait(for: "the change") { $0.count == 2 }
    #expect(values.elements == [["a": 1, "b": 2], ["a": 3]])
    #expect(changes.elements == [["marker"], ["marker", "value"]])
  }

  @Test
  func `all names changed by one update arrive in one set`() throws {
    try suite.set(1, forKey: "removed")
    try suite.set(1, forKey: "kept")
    try suite.set(1, forKey: "changed")
    let changes = suite.changes.map(\.keys).recorded()
    try suite.update { contents in
      contents.removeValue(forKey: "removed")
      try contents.set(1, forKey: "kept")
      try contents.set(2, forKey: "changed")
      try contents.set(1, forKey: "added")
    }
    try suite.removeAll()
    #expect(changes.elements == [["removed", "changed", "added"], ["kept", "changed", "added"]])
  }

  @Test
  func `each change by any writer has the contents before and after it, without a gap`() async throws {
    let suite = suite
    try await suite.set(1, forKey: "count")
    let changes = suite.changes.recorded()
    let other = try fixture.suite()
    for number in 2...20 { try await (number.isMultiple(of: 2) ? suite : other).set(number, forKey: "count") }
    try fixture.overwrite("suite.json", with: #"{"count": 21}"#)
    try await changes.first("the last change") {
      (try? $0.new.value(forKey: "count", as: Int.self)) == 21
    }
    let values = try changes.elements.map {
      (try $0.old.value(forKey: "count", as: Int.self), try $0.new.value(forKey: "count", as: Int.self))
    }
    #expect(values.first?.0 == 1)
    #expect(zip(values, values.dropFirst()).allSatisfy { $0.1 == $1.0 })
    #expect(values.allSatisfy { $0.0 != $0.1 } && changes.elements.allSatisfy { $0.keys == ["count"] })
  }

  @Test
  func `a change by another process is read, and a new layout alone changes nothing`() throws {
    let suite = suite
    let seen = Recorder<Int>()
    let subscription = suite.preference("count", default: 0).sink { count in
      seen.record(suite.preference("count", default: -1).value - (count == 0 ? -1 : count))
      guard count < 3 else { return }
      do { try suite.set(count + 1, forKey: "count") } catch { Issue.record(error) }
    }
    #expect(suite.preference("count", default: 0).value == 3)
    #expect(seen.elements.allSatisfy { $0 >= 0 } && seen.elements.count == 4)
    subscription.cancel()
  }

  @Test
  func `only subscribers keep the suite open`() async throws {
    var opened: AppGroupsSuite? = try fixture.suite("kept.json")
    weak let suite = opened
    let values = try #require(opened).signal(forKey: "a", as: Int.self).recorded()
    let property = try #require(opened).preference("a", default: 0).property
    opened = nil
    try fixture.overwrite("kept.json", with: #"{"a": 1}"#)
    try await values.wait(for: "the change") { $0.count == 2 }
    #expect(values.elements == [nil, 1])
    #expect(property.value == 1)
    #expect(suite != nil)
    weak let forgotten = try fixture.suite("forgotten.json")
    #expect(forgotten == nil)
    weak let preference = try fixture.suite("forgotten.json").preference("a", default: 1)
    #expect(preference == nil)
  }

  @Test
  func `a property of a released value continues by itself`() async throws {
    let property = try fixture.suite("kept.json").preference("a", default: 0).property
    let values = property.recorded()
    try fixture.overwrite("kept.json", with: #"{"a": 1}"#)
    try await values.wait(for: "the change") { $0.count == 2 }
    #expect(values.elements == [0, 1])
    #expect(property.value == 1)
  }
}
