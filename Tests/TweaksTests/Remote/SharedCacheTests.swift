import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing
@testable import Tweaks

@Suite("A cache that processes share")
struct SharedCacheTests {
  @Test(.patient)
  func `values that another process stores before the cache is watched take effect`() async throws {
    let fixture = try CacheFixture()
    let cache = TweakCache(directory: fixture.cache.directory, keyFile: fixture.cache.keyFile, sharesFetches: true)
    let other = CacheStore(cache, provider: "other", faults: TweakFaults(of: "CacheStore", "other"))
    let user = other.user(TweakContext(), identityAttributes: [])
    let start = Date()
    let newer = RemoteBench.content(2, fetched: start.addingTimeInterval(-1), for: user)
    other.store(RemoteBench.content(1, fetched: start.addingTimeInterval(-2), for: user), user.entry)
    let isRead = MutableProperty(false)
    let provider = RemoteTweakProvider(
      cache: cache,
      decode: { body in
        let isStart = isRead.modify { isRead in
          defer { isRead = true }
          return !isRead
        }
        if isStart { other.store(newer, user.entry) }
        return [Tweak(feature: "f", variable: "v", value: .int(Int(String(decoding: body, as: UTF8.self)) ?? 0))]
      },
      fetch: { _ in throw TweakRequestFailure.status(503) })
    let manager = TweakManager(providers: [provider])
    try await manager.property(for: TweakKey("f", "v", default: 0)).firstValue("the newer values") { $0 == 2 }
  }
}
