import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

/// These tests never synchronize, so they touch no file of the user.
@Suite("Values of UserDefaults")
struct UserDefaultsSignalTests {
  let defaults: UserDefaults

  init() throws {
    defaults = try #require(UserDefaults(suiteName: "org.signals.tests.\(UUID())"))
  }

  @Test
  func `a value is sent at once, and again only when it has changed`() async throws {
    let clock = TestClock()
    let values = defaults.signal(forKey: "a.volume", as: Int.self, checkingEvery: .seconds(1), clock: clock).recorded()
    #expect(values.elements == [nil])
    for (volume, elements) in [(1, [nil, 1]), (1, [nil, 1]), (2, [nil, 1, 2])] as [(Int, [Int?])] {
      defaults.set(volume, forKey: "a.volume")
      await clock.advance(by: .seconds(1))
      #expect(values.elements == elements)
    }
    defaults.removeObject(forKey: "a.volume")
    await clock.advance(by: .seconds(1))
    #expect(values.elements == [nil, 1, 2, nil])
  }

  @Test
  func `a number is read as any type that can hold it, and other values are not converted`() async throws {
    defaults.set(Int.max, forKey: "large")
    defaults.set(1, forKey: "one")
    defaults.set("text", forKey: "text")
    #expect(try await defaults.signal(forKey: "large", as: Int.self).firstValue { _ in true } == Int.max)
    #expect(try await defaults.signal(forKey: "one", as: Double.self).firstValue { _ in true } == 1)
    #expect(try await defaults.signal(forKey: "text", as: String.self).firstValue { _ in true } == "text")
    #expect(try await defaults.signal(forKey: "text", as: Int.self).firstValue { _ in true } == nil)
  }
}
