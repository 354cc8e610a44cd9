import AppGroups
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing
@testable import Tweaks

/// A cache in a temporary directory.
struct CacheFixture {
  let directory: TemporaryDirectory
  var cache: TweakCache

  init() throws {
    directory = try TemporaryDirectory()
    cache = TweakCache(directory: directory.url.appending(path: "cache"), keyFile: directory.file("key"))
  }

  /// Creates a provider that asks nothing, and fetches `values` when it is told to.
  func provider(
    _ values: Int? = nil, for user: String? = nil, policy: RemoteTweakPolicy = .onRequest,
    attributes: [String: TweakValue] = [:], bootstrap: Int? = nil
  ) -> RemoteTweakProvider {
    let tweaks = bootstrap.map { [Tweak(feature: "f", variable: "v", value: .int($0))] } ?? []
    return RemoteTweakProvider(
      bootstrap: tweaks, context: TweakContext(targetingKey: user, attributes: attributes), cache: cache, policy: policy
    ) { _ in
      guard let values else { throw TweakRequestFailure.status(503) }
      return .body(Self.body(values), etag: "\(values)")
    }
  }

  static func body(_ value: Int) -> Data {
    Data(#"{"f": {"v": {"Value": \#(value)}}}"#.utf8)
  }

  func names(_ suffix: String = ".tweaks") throws -> [String] {
    try directory.names(in: "cache").filter { $0.hasSuffix(suffix) }
  }

  func entry() throws -> URL {
    cache.directory.appending(path: try #require(try names().first), directoryHint: .notDirectory)
  }
}

extension RemoteTweakProvider {
  /// The value of `f/v`.
  var shown: Int? { TweakManager(providers: [self]).snapshot().tweaks[TweakID(feature: "f", variable: "v")]?.intValue }
}

@Suite("The cache of a remote provider")
struct CacheTests {
  @Test
  func `values survive a launch, for each user separately`() async throws {
    let fixture = try CacheFixture()
    try await fixture.provider(1).refresh()
    try await fixture.provider(2, for: "anna").refresh()
    let anonymous = fixture.provider()
    #expect(anonymous.shown == 1)
    #expect(anonymous.status.value.origin == .cache)
    #expect(anonymous.status.value.state == .ready)
    #expect(fixture.provider(for: "anna").shown == 2)
    #expect(fixture.provider(for: "ben", bootstrap: 9).shown == 9)
    var other = fixture
    other.cache.environment = "staging"
    #expect(other.provider().shown == nil)
  }

  @Test
  func `an entry that replaced a damaged one is used, and not put aside`() async throws {
    let fixture = try CacheFixture()
    try await fixture.provider(1).refresh()
    let entry = try fixture.entry()
    let sound = try Data(contentsOf: entry)
    let faults = TweakFaults(of: "CacheStore", "test")
    let store = CacheStore(fixture.cache, provider: "test", faults: faults)
    let name = String(entry.lastPathComponent.dropLast(".tweaks".count))
    var decodes = 0
    let content = store.load(name) { body in
      decodes += 1
      // Another process replaces the file between the read and the decision that it is damaged.
      if decodes == 1 {
        try DurableFile.write(sound, to: entry)
        throw CacheEntry.Problem.damaged("it was half written")
      }
      return [Tweak(feature: "f", variable: "v", value: .int(1))]
    }
    #expect(content?.tweaks.count == 1)
    #expect(faults.signal.recorded().elements.isEmpty)
    #expect(try Data(contentsOf: entry) == sound)
    #expect(try fixture.names() == [entry.lastPathComponent])
  }

  @Test
  func `the size of an entry may be unlimited`() async throws {
    var fixture = try CacheFixture()
    fixture.cache = TweakCache(
      directory: fixture.cache.directory, keyFile: fixture.cache.keyFile, maximumSize: .max)
    for value in 1...2 {
      try await fixture.provider(value).refresh()
      #expect(fixture.provider().shown == value)
    }
  }

  @Test
  func `digests and authentication codes are those of the standards`() {
    func code(_ message: String, _ key: [UInt8]) -> String {
      SHA256.authenticationCode(of: Array(message.utf8), key: key).hexadecimal
    }
    #expect(
      code("Hi There", Array(repeating: 0x0B, count: 20))
        == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    #expect(
      code("what do ya want for nothing?", Array("Jefe".utf8))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(
      code("Test Using Larger Than Block-Size Key - Hash Key First", Array(repeating: 0xAA, count: 131))
        == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    #expect(
      CacheEntry.digest(of: Data(repeating: UInt8(ascii: "a"), count: 100_000))
        == "6d1cf22d7cc09b085dfc25ee1a1f3ae0265804c607bc2074ad253bcc82fd81ee")
  }

  @Test
  func `a cache of a container is among its caches, and its key is not`() throws {
    let directory = try TemporaryDirectory()
    let container = try AppGroupsContainer(directory: directory.url)
    let cache = TweakCache(container: container, environment: "e")
    #expect(cache.directory.path == container.containerURL.path + "/Library/Caches/Tweaks")
    #expect(cache.keyFile.deletingLastPathComponent().path == container.containerURL.path)
  }

  @Test
  func `patched values survive a launch without their ETag`() async throws {
    let fixture = try CacheFixture()
    let patches = Emitter<TweakPatch, any Error>()
    let provider = RemoteTweakProvider(
      cache: fixture.cache, policy: .onRequest, stream: { _ in patches.eraseToAnySignal() }
    ) { _ in .body(CacheFixture.body(1), etag: "1", version: 1) }
    try await provider.refresh()
    var secret = Tweak(feature: "f", variable: "w", value: "cipher", title: "T", details: "D", group: "G")
    secret.isEncrypted = true
    patches.send(TweakPatch(version: 2, tweaks: [Tweak(feature: "f", variable: "v", value: 2), secret]))
    #expect(provider.shown == 2)
    // Its answer comes after the write of the patch.
    await #expect(throws: TweakError.self) { try await fixture.provider().refresh() }
    try await provider.refresh()
    patches.send(TweakPatch(version: 2, tweaks: [Tweak(feature: "f", variable: "v", value: 2), secret]))
    provider.isOffline = true
    await #expect(throws: TweakError.requestFailed(provider: provider.name, .offline)) { try await provider.refresh() }
    let requests = MutableProperty<[TweakRequest]>([])
    let next = RemoteTweakProvider(cache: fixture.cache, policy: .onRequest) { request in
      requests.modify { $0.append(request) }
      throw TweakRequestFailure.status(500)
    }
    #expect(next.shown == 2)
    let stored = try next.tweak(feature: "f", variable: "w")
    #expect(stored?.isEncrypted == true)
    #expect(stored?.value == "cipher")
    #expect([stored?.title, stored?.details, stored?.group] == ["T", "D", "G"])
    await #expect(throws: TweakError.self) { try await next.refresh() }
    #expect(requests.value.map(\.etag) == [nil])
  }

  /// The versions and ages in seconds of an entry and of a write that comes later, and whether the entry is replaced.
  static let writes: [(stored: (Int?, Double), new: (Int?, Double), isReplaced: Bool)] = [
    ((4, 60), (5, 0), true), ((5, 60), (5, 0), true), ((6, 60), (5, 0), false), ((nil, 60), (5, 0), true),
    ((5, 60), (nil, 0), true),
    // The write was delayed.
    ((5, 0), (nil, 60), false), ((nil, 0), (5, 60), false), ((4, 0), (5, 60), true), ((6, 0), (5, 60), false),
    // The server has begun to count anew, or the clock was set back.
    ((6, 3_600), (5, 0), true), ((6, -3_600), (5, 0), true), ((nil, -3_600), (nil, 0), true),
  ]

  @Test(arguments: writes)
  func `a write never replaces a newer entry of another process`(
    stored: (Int?, Double), new: (Int?, Double), isReplaced: Bool
  ) throws {
    let fixture = try CacheFixture()
    let faults = TweakFaults(of: "CacheStore", "p")
    func store() -> CacheStore { CacheStore(fixture.cache, provider: "p", faults: faults) }
    let now = Date(timeIntervalSinceReferenceDate: 800_000_000)
    func content(_ value: Int, _ parts: (Int?, Double)) -> RemoteContent {
      RemoteBench.content(value, version: parts.0, fetched: now.addingTimeInterval(-parts.1))
    }
    let user = RemoteBench.anna
    store().store(content(1, stored), user.entry)
    store().store(content(2, new), user.entry)
    let tweak = { (body: Data) in
      [Tweak(feature: "f", variable: "v", value: .string(String(decoding: body, as: UTF8.self)))]
    }
    #expect(store().load(user.entry, decode: tweak)?.body == Data((isReplaced ? "2" : "1").utf8))
    // Values for other attributes cannot be compared.
    var other = content(3, new)
    other.fingerprint = "other"
    store().store(other, user.entry)
    #expect(store().load(user.entry, decode: tweak)?.body == Data("3".utf8))
    #expect(faults.signal.recorded().elements.isEmpty)
  }

  @Test
  func `an identification shows the values in memory, which the cache has not stored yet`() {
    // The table in `RemoteOrderTests` has the other cases. Without an entry, the same user keeps the values.
    var bench = RemoteBench()
    bench.start()
    bench.answer(RemoteBench.content(7))
    bench.handle(.identify(RemoteBench.anna, nil, 1))
    #expect(bench.shown == [nil, 7, 7])
    bench.handle(.identify(RemoteBench.ben, nil, 2))
    #expect(bench.shown == [nil, 7, 7, nil])
  }

  @Test(.patient)
  func `files reveal neither the user nor attributes, and only the user can read them`() async throws {
    let fixture = try CacheFixture()
    // In its own process, because the file mode mask belongs to the process.
    let peer = try PeerProcess()
    try await peer.send("remote-write \(fixture.directory.url.path) anna@example.org 1")
    #expect(fixture.provider(for: "anna@example.org").shown == 1)
    var seen = 0
    let root = fixture.directory.url
    for path in try FileManager.default.subpathsOfDirectory(atPath: root.path) {
      let url = root.appending(path: path)
      let status = try #require(try FileStatus(path: url.path))
      #expect(status.permissions == (status.kind == .directory ? 0o700 : 0o600), "\(path)")
      #expect(!path.contains("anna"))
      if status.kind != .regular { continue }
      let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
      #expect(!text.contains("anna") && !text.contains("platinum") && !text.contains("plan"))
      seen += 1
    }
    #expect(seen >= 2)
  }

  @Test
  func `a flipped bit anywhere is noticed, reported once, and leads to the bootstrap`() async throws {
    let fixture = try CacheFixture()
    try await fixture.provider(1).refresh()
    let url = try fixture.entry()
    let good = try Data(contentsOf: url)
    for index in stride(from: 0, to: good.count, by: 7) {
      var bad = good
      bad[index] ^= 4
      // A changed version may look like a newer one, which is left alone.
      let isVersion = index == Data("signals-tweaks ".utf8).count
      try bad.write(to: url)
      let provider = fixture.provider(bootstrap: 5)
      #expect(provider.shown == 5, "byte \(index)")
      let failures = provider.failures.recorded()
      #expect(failures.elements.count == (isVersion ? 0 : 1), "byte \(index)")
      #expect(FileManager.default.fileExists(atPath: url.path) == isVersion)
    }
    #expect(try fixture.directory.names(in: "cache").filter { $0 == "damaged" }.count == 1)
    try good.write(to: url)
    #expect(fixture.provider(bootstrap: 5).shown == 1)
  }

  @Test
  func `truncated, empty and huge entries are not used`() async throws {
    let fixture = try CacheFixture()
    try await fixture.provider(1).refresh()
    let url = try fixture.entry()
    let good = try Data(contentsOf: url)
    for bad in [Data(), good.dropLast(), good + good, Data(repeating: 65, count: 2 << 20)] {
      try bad.write(to: url)
      #expect(fixture.provider(bootstrap: 5).shown == 5)
    }
  }

  @Test
  func `after damage the request has no ETag`() async throws {
    let fixture = try CacheFixture()
    try await fixture.provider(1).refresh()
    let url = try fixture.entry()
    try (Data(contentsOf: url).dropLast() + [0]).write(to: url)
    let etags = MutableProperty<[String?]>([])
    let provider = RemoteTweakProvider(cache: fixture.cache, policy: .onRequest) { request in
      etags.modify { $0.append(request.etag) }
      return .body(CacheFixture.body(2), etag: "2")
    }
    try await provider.refresh()
    try await provider.refresh()
    #expect(etags.value == [nil, "2"])
    #expect(fixture.provider().shown == 2)
  }

  @Test
  func `an entry of a newer version is neither used nor touched`() async throws {
    let fixture = try CacheFixture()
    try await fixture.provider(1).refresh()
    let url = try fixture.entry()
    let newer = Data("signals-tweaks 2 whatever\n".utf8)
    try newer.write(to: url)
    let provider = fixture.provider(3)
    #expect(provider.shown == nil)
    try await provider.refresh()
    #expect(provider.shown == 3)
    #expect(try Data(contentsOf: url) == newer)
    #expect(provider.failures.recorded().elements.isEmpty)
  }

  @Test
  func `the least recently used of nine users is removed`() async throws {
    let fixture = try CacheFixture()
    for number in 0..<8 { try await fixture.provider(number, for: "\(number)").refresh() }
    #expect(try fixture.names().count == 8)
    #expect(fixture.provider(for: "0").shown == 0)
    try await fixture.provider(8, for: "8").refresh()
    #expect(try fixture.names().count == 8)
    #expect((0...8).map { fixture.provider(for: "\($0)").shown } == [0, nil, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test(.patient)
  func `a process that is killed during a write leaves a complete entry`() async throws {
    let fixture = try CacheFixture()
    var last = 0
    for _ in 0..<Scale.count(10, torture: 500) {
      let peer = try PeerProcess()
      try await peer.send("remote-loop \(fixture.directory.url.path)")
      let before = last
      while last == before { last = fixture.provider().shown ?? before }
      try await peer.kill()
      let provider = fixture.provider()
      let other = try provider.tweak(feature: "f", variable: "w")?.intValue
      #expect(provider.shown != nil && provider.shown == other)
      #expect(provider.failures.recorded().elements.isEmpty)
      last = provider.shown ?? 0
    }
  }

  @Test
  func `a lost key makes the entries unusable, and an unusable key file is reported`() async throws {
    let fixture = try CacheFixture()
    try await fixture.provider(1).refresh()
    try FileManager.default.removeItem(at: fixture.cache.keyFile)
    #expect(fixture.provider().shown == nil)
    try Data("short".utf8).write(to: fixture.cache.keyFile)
    let provider = fixture.provider(4)
    #expect(provider.failures.recorded().elements.count == 1)
    try await provider.refresh()
    #expect(provider.shown == 4)
  }

  @Test
  func `a cache that cannot be written is reported, and the values are used nevertheless`() async throws {
    let fixture = try CacheFixture()
    try Data().write(to: fixture.cache.directory)
    let provider = fixture.provider(1)
    let failures = provider.failures.recorded()
    try await provider.refresh()
    try await provider.refresh()
    #expect(provider.shown == 1)
    #expect(failures.elements.count == 1)
  }

  @Test
  func `Retry-After is kept for the next launch`() async throws {
    let fixture = try CacheFixture()
    let count = MutableProperty(0)
    func provider() -> RemoteTweakProvider {
      RemoteTweakProvider(cache: fixture.cache, policy: .onRequest) { _ in
        count.modify { $0 += 1 }
        throw TweakRequestFailure.status(429, retryAfter: .seconds(120))
      }
    }
    await #expect(throws: TweakError.self) { try await provider().refresh() }
    do {
      try await provider().refresh()
      Issue.record("a request was sent")
    } catch {
      guard case .requestFailed(_, .postponed) = error else {
        Issue.record("\(error)")
        return
      }
    }
    #expect(count.value == 1)
  }
}
