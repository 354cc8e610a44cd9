import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing
@testable import Tweaks

@Suite("A remote provider without a network", .patient)
struct RemoteOfflineTests {
  private let key = TweakKey("f", "v", default: 0)

  /// Creates an offline provider, and a record of its requests.
  private func offline(
    _ fixture: CacheFixture, for user: String? = nil, bootstrap: Int? = nil
  ) -> (RemoteTweakProvider, MutableProperty<Int>) {
    let requests = MutableProperty(0)
    let provider = RemoteTweakProvider(
      bootstrap: bootstrap.map { [Tweak(feature: "f", variable: "v", value: .int($0))] } ?? [],
      context: TweakContext(targetingKey: user), isOffline: true, cache: fixture.cache
    ) { _ in
      requests.modify { $0 += 1 }
      throw TweakRequestFailure.status(500)
    }
    return (provider, requests)
  }

  @Test
  func `with a cache, the first read has the cached value and says so`() async throws {
    let fixture = try CacheFixture()
    try await fixture.provider(1).refresh()
    let (provider, requests) = offline(fixture, bootstrap: 9)
    let details = TweakManager(providers: [provider]).details(for: key)
    #expect(details.value == 1 && details.reason == .cached)
    #expect(await provider.ready(within: .seconds(60)) == .cache)
    #expect(requests.value == 0)
  }

  @Test
  func `with a bootstrap only, its value is static`() async throws {
    let (provider, requests) = offline(try CacheFixture(), bootstrap: 9)
    let details = TweakManager(providers: [provider]).details(for: key)
    #expect(details.value == 9 && details.reason == .static)
    #expect(await provider.ready(within: .seconds(60)) == .bootstrap)
    #expect(requests.value == 0)
  }

  @Test
  func `a switch to a user with cached values notifies observers once`() async throws {
    let fixture = try CacheFixture()
    try await fixture.provider(1, for: "anna").refresh()
    try await fixture.provider(2, for: "ben").refresh()
    let (provider, requests) = offline(fixture, for: "anna", bootstrap: 9)
    let values = TweakManager(providers: [provider]).signal(for: key).recorded()
    await #expect(throws: TweakError.requestFailed(provider: provider.name, .offline)) {
      try await provider.identify(TweakContext(targetingKey: "ben"))
    }
    #expect(values.elements == [1, 2])
    #expect(requests.value == 0)
  }

  @Test
  func `after a sign-out, only the values of the anonymous user are used`() async throws {
    let fixture = try CacheFixture()
    try await fixture.provider(1, for: "anna").refresh()
    let (provider, _) = offline(fixture, for: "anna", bootstrap: 9)
    let values = TweakManager(providers: [provider]).signal(for: key).recorded()
    await #expect(throws: TweakError.self) { try await provider.identify(TweakContext()) }
    #expect(values.elements == [1, 9])
    try await fixture.provider(3).refresh()
    await #expect(throws: TweakError.self) { try await provider.identify(TweakContext(targetingKey: "anna")) }
    await #expect(throws: TweakError.self) { try await provider.identify(TweakContext()) }
    #expect(values.elements == [1, 9, 1, 3])
    #expect(try fixture.names().count == 2)
  }
}
