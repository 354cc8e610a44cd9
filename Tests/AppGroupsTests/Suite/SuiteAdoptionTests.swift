import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

/// These tests never synchronize, so they touch no file of the user.
@Suite("Adopting values from UserDefaults", .patient)
struct SuiteAdoptionTests {
  let fixture: Fixture
  let suite: AppGroupsSuite
  let defaults: UserDefaults

  init() throws {
    fixture = try Fixture()
    suite = try fixture.suite()
    defaults = try #require(UserDefaults(suiteName: "org.signals.tests.\(UUID())"))
  }

  @Test
  func `values of all kinds keep their types`() throws {
    defaults.set(true, forKey: "bool")
    defaults.set(1, forKey: "one")
    defaults.set(Int.max, forKey: "large")
    defaults.set(0.1, forKey: "double")
    defaults.set("a/b", forKey: "string")
    defaults.set(Data([0, 255]), forKey: "data")
    defaults.set(Date(timeIntervalSinceReferenceDate: 12), forKey: "date")
    defaults.set([1, 2], forKey: "array")
    defaults.set(["a": ["b": Data([1])]], forKey: "dictionary")
    let keys = ["bool", "one", "large", "double", "string", "data", "date", "array", "dictionary"]
    let adoption = try suite.adopt(from: defaults, keys: keys)
    #expect(
      adoption.adopted == Set(keys) && adoption.kept.isEmpty && adoption.missing.isEmpty && adoption.refused.isEmpty)
    let suite = try fixture.suite()
    #expect(try suite.value(forKey: "bool", as: Bool.self) == true)
    #expect(try suite.value(forKey: "one", as: Int.self) == 1)
    #expect(try suite.value(forKey: "large", as: Int.self) == Int.max)
    #expect(try suite.value(forKey: "double", as: Double.self) == 0.1)
    #expect(try suite.value(forKey: "string", as: String.self) == "a/b")
    #expect(try suite.value(forKey: "data", as: Data.self) == Data([0, 255]))
    #expect(try suite.value(forKey: "date", as: Date.self) == Date(timeIntervalSinceReferenceDate: 12))
    #expect(try suite.value(forKey: "array", as: [Int].self) == [1, 2])
    #expect(try suite.value(forKey: "dictionary", as: [String: [String: Data]].self) == ["a": ["b": Data([1])]])
  }

  @Test
  func `each adopted key is reported, and existing values of the suite are kept`() throws {
    defaults.set("old", forKey: "theme")
    defaults.set(12, forKey: "size")
    defaults.set(Double.infinity, forKey: "infinite")
    try suite.set("new", forKey: "theme")
    let changes = suite.changes.map(\.keys).recorded()
    let adoption = try suite.adopt(from: defaults, keys: ["theme", "size", "infinite", "none"])
    #expect(adoption.adopted == ["size"])
    #expect(adoption.kept == ["theme"])
    #expect(adoption.missing == ["none"])
    #expect(adoption.refused.keys.sorted() == ["infinite"])
    #expect(try suite.value(forKey: "theme", as: String.self) == "new")
    #expect(changes.elements == [["size"]])
    #expect(try suite.adopt(from: defaults, keys: ["size"]).kept == ["size"])
    #expect(changes.elements == [["size"]])
    #expect(defaults.integer(forKey: "size") == 12)
  }

  @Test
  func `concurrent starts adopt values once`() async throws {
    defaults.set(1, forKey: "count")
    let suites = try (0..<4).map { _ in try fixture.suite() }
    let adopted = Recorder<Set<String>>()
    let name = "org.signals.tests.\(UUID())"
    try await onThread {
      withThreads(4) { thread in
        do {
          let defaults = try #require(UserDefaults(suiteName: name))
          defaults.set(thread, forKey: "count")
          adopted.record(try suites[thread].adopt(from: defaults, keys: ["count"]).adopted)
        } catch {
          Issue.record(error)
        }
      }
    }
    #expect(adopted.elements.filter { $0 == ["count"] }.count == 1)
  }
}
