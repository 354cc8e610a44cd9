import AppGroups
import Foundation
import KqueueModel
import Observation
import Signals
import TestSupport
import Testing

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
