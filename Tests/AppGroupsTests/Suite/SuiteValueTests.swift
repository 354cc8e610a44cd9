import AppGroups
import FileSignals
import Foundation
import KqueueModel
import Observation
import Synchronization
import TestSupport
import Testing

@testable import Signals

/// The preferences that an app would declare.
private final class Preferences: Sendable {
  enum Theme: String, Codable { case light, dark }

  let suite: AppGroupsSuite
  let theme: SuiteValue<Theme>
  let fontSize: SuiteValue<Double>

  init(_ suite: AppGroupsSuite) {
    self.suite = suite
    theme = suite.preference("theme", default: .light)
    fontSize = suite.preference("fontSize", default: 12)
  }
}

@Suite("Typed values of a suite", .eachKernel)
struct SuiteValueTests {
  let fixture: Fixture
  private let preferences: Preferences

  init() throws {
    fixture = try Fixture()
    preferences = Preferences(try fixture.suite())
  }

  @Test
  func `a value is its default until it is set, and then the set value for every reader`() throws {
    #expect(preferences.theme.value == .light && preferences.theme.status.value == .missing)
    try preferences.theme.write(.dark)
    #expect(preferences.theme.value == .dark && preferences.theme.status.value == .current)
    #expect(try Preferences(fixture.suite()).theme.value == .dark)
    #expect(try preferences.theme.read() == .dark)
    #expect(try preferences.fontSize.read() == 12)
    try preferences.theme.reset()
    #expect(preferences.theme.value == .light)
    #expect(preferences.suite.keys.isEmpty)
  }

  @Test
  func `each value sends only its own changes`() throws {
    let themes = preferences.theme.recorded()
    let sizes = preferences.fontSize.recorded()
    try preferences.fontSize.update { $0 += 1 }
    try preferences.theme.write(.dark)
    try preferences.fontSize.update { $0 += 1 }
    try preferences.fontSize.write(14)
    #expect(themes.elements == [.light, .dark])
    #expect(sizes.elements == [12, 13, 14])
  }

  @Test
  func `a change of one value concerns no other one, whoever makes it`() async throws {
    try await preferences.suite.set(1, forKey: "stored")
    let others = ["stored", "missing"].map { preferences.suite.preference($0, default: 0) }
    let entries = preferences.suite.signal(forKey: "stored", as: Int.self).recorded()
    func marks() -> [UInt64?] {
      others.map { $0.property.core.derivation?.state.pointee.marks.load(ordering: .acquiring) }
    }
    let before = marks()
    let themes = preferences.theme.recorded()
    try await preferences.theme.write(.dark)
    try await preferences.suite.synchronize()
    try await preferences.theme.write(.light)
    let elsewhere = Preferences(try fixture.suite())
    try await elsewhere.suite.set("other", forKey: "unobserved")
    try await elsewhere.theme.write(.dark)
    try await themes.wait { $0.count == 4 }
    try await elsewhere.suite.synchronize()
    try await elsewhere.theme.write(.light)
    try await themes.wait { $0.count == 5 }
    #expect(before.allSatisfy { $0 != nil } && marks() == before)
    #expect(entries.elements == [1])
    try await elsewhere.suite.set(2, forKey: "stored")
    try await others[0].property.recorded().wait { $0.last == 2 }
    #expect(marks()[0] != before[0] && marks()[1] == before[1])
  }

  @Test
  func `the closure of an update runs once, whatever becomes of its value`() throws {
    for seal in [nil, FileSeal.test("1")] {
      let suite = try AppGroupsSuite(
        name: seal == nil ? "open.json" : "sealed.json", container: fixture.container, seal: seal,
        options: .init(durability: .process, maximumSize: 1_000))
      let text = suite.preference("text", default: "first")
      var calls = 0
      func update(to new: String?) throws {
        try text.update { value in
          calls += 1
          guard let new else { throw CancellationError() }
          value = new
        }
      }
      // In quick succession, so that some changes are records and some replace the file.
      for number in 0..<20 {
        try update(to: "\(number)")
        try update(to: "\(number)")
        #expect(throws: CancellationError.self) { try update(to: nil) }
        #expect(throws: AppGroupsFileError.self) { try update(to: String(repeating: "x", count: 2_000)) }
        #expect(calls == 4 * (number + 1) && text.value == "\(number)")
        #expect(try text.read() == "\(number)")
      }
    }
  }

  @Test
  func `one update of several values is one change, and derived values see no mixture`() throws {
    let titles = Property.derived(preferences.theme.property, preferences.fontSize.property) { "\($0) \($1)" }
      .recorded()
    let theme = preferences.theme.key
    let fontSize = preferences.fontSize.key
    try preferences.suite.update { contents in
      try contents.set(.dark, for: theme)
      try contents.set(contents.value(for: fontSize) * 2, for: fontSize)
    }
    try preferences.suite.update { contents in
      contents.removeValue(forKey: theme.name)
      contents.removeValue(forKey: fontSize.name)
    }
    #expect(titles.elements == ["light 12.0", "dark 24.0", "light 12.0"])
  }

  @Test
  func `a view that reads one value is not redrawn for another`() throws {
    let drawn = Recorder<String>()
    let preferences = preferences
    withObservationTracking {
      _ = preferences.theme.value
    } onChange: {
      drawn.record("theme")
    }
    withObservationTracking {
      _ = preferences.fontSize.property.value
    } onChange: {
      drawn.record("fontSize")
    }
    try preferences.fontSize.write(13)
    #expect(drawn.elements == ["fontSize"])
    try preferences.theme.write(.dark)
    #expect(drawn.elements == ["fontSize", "theme"])
  }

  @Test
  func `any shared value works with a file and with a value of a suite`() async throws {
    func increment(_ counter: some SharedValue<Int>) async throws -> Int {
      try await counter.write(1)
      try await counter.update { $0 += 1 }
      #expect(try await counter.read() == 2)
      #expect(counter.status.value == .current)
      return counter.value
    }
    #expect(try await increment(fixture.counter()) == 2)
    #expect(try await increment(preferences.suite.preference("count", default: 0)) == 2)
  }

  @Test
  func `tasks change a value without blocking their threads`() async throws {
    try await preferences.fontSize.write(1)
    try await preferences.fontSize.update { $0 += 1 }
    #expect(preferences.fontSize.value == 2)
    try await preferences.fontSize.reset()
    #expect(preferences.fontSize.value == 12)
  }
}
