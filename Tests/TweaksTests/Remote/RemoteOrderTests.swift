import Foundation
import Signals
import TestSupport
import Testing
@testable import Tweaks

/// The order of versions, wherever values meet others.
///
/// Version 5 is shown, and other values of the same user arrive. "Taken" means that they are shown, "kept" that version
/// 5 stays, and "asks" that a request follows.
///
/// | arrives | older | equal | newer | no version |
/// |---|---|---|---|---|
/// | answer to a later request | kept, asks | taken | taken | taken |
/// | answer to an earlier request | kept | taken | taken | kept |
/// | patch | kept | kept | taken | – |
/// | complete patch | kept, asks | taken | taken | – |
/// | entry of the cache | kept | kept | taken | kept, unless it was fetched later |
/// | patch that waited | kept | kept | taken | – |
///
/// The writes of the cache have their own table in `CacheTests`.
@Suite("The order of versions from a server")
struct RemoteOrderTests {
  /// The source of the values that are shown.
  enum Known: CaseIterable {
    case answer, patch, completePatch, cacheEntry, waitingPatch
  }

  /// The source of the values that arrive.
  enum Arriving: CaseIterable {
    case answer, overtakenAnswer, patch, completePatch, cacheEntry, waitingPatch
  }

  private static func patch(_ version: Int, value: Int, isComplete: Bool = false) -> TweakPatch {
    TweakPatch(
      version: version, tweaks: [Tweak(feature: "f", variable: "v", value: .int(value))], isComplete: isComplete)
  }

  /// Returns a bench that shows the value 5 of version 5, with an older request in progress if there must be one.
  private func bench(_ known: Known, isAsking: Bool) -> RemoteBench? {
    var bench = RemoteBench(hasStream: true)
    switch known {
    case .answer:
      // A provider has one request at a time.
      if isAsking { return nil }
      bench.start()
      bench.answer(RemoteBench.content(5, version: 5))
    case .patch:
      bench.start()
      bench.answer(RemoteBench.content(4, version: 4))
      if isAsking { bench.handle(.refresh(1)) }
      bench.handle(.patched(Self.patch(5, value: 5), stream: 1))
    case .completePatch:
      bench.start()
      if !isAsking { bench.answer(RemoteBench.content(4, version: 4)) }
      bench.handle(.patched(Self.patch(5, value: 5, isComplete: true), stream: 1))
    case .cacheEntry:
      // Values of the cache are there before the first request.
      if isAsking { return nil }
      bench.start(bench.cached(5, version: 5))
    case .waitingPatch:
      if isAsking { return nil }
      bench.start()
      bench.handle(.patched(Self.patch(5, value: 5), stream: 1))
      bench.answer(RemoteBench.content(4, version: 4))
    }
    return bench.shown.last == 5 ? bench : nil
  }

  private static let table: [Arriving: [Int?: Bool]] = [
    .answer: [4: false, 5: true, 6: true, nil: true],
    .overtakenAnswer: [4: false, 5: true, 6: true, nil: false],
    .patch: [4: false, 5: false, 6: true],
    .completePatch: [4: false, 5: true, 6: true],
    .cacheEntry: [4: false, 5: false, 6: true, nil: false],
    .waitingPatch: [4: false, 5: false, 6: true],
  ]

  @Test(arguments: Known.allCases, Arriving.allCases)
  func `values never go back to an older version`(known: Known, arriving: Arriving) throws {
    for (version, isTaken) in try #require(Self.table[arriving]) {
      guard var bench = bench(known, isAsking: arriving == .overtakenAnswer) else {
        #expect(arriving == .overtakenAnswer && known != .patch && known != .completePatch)
        continue
      }
      let value = version.map { $0 * 10 } ?? 99
      let content = RemoteBench.content(value, version: version)
      switch arriving {
      case .answer:
        bench.handle(.refresh(2))
        bench.answer(content)
      case .overtakenAnswer:
        bench.answer(content)
      case .patch, .completePatch:
        let patch = Self.patch(try #require(version), value: value, isComplete: arriving == .completePatch)
        bench.handle(.patched(patch, stream: 1))
      case .cacheEntry:
        let entry = bench.cached(value, version: version)
        bench.handle(.identify(RemoteBench.anna, entry, 3))
      case .waitingPatch:
        // A later answer of the same version is known, when the patch that waited for it follows.
        bench.handle(.patched(Self.patch(8, value: 8), stream: 1))
        bench.machine.stream.waiting = [Self.patch(try #require(version), value: value)]
        bench.answer(RemoteBench.content(5, version: 5))
      }
      let comment: Comment = "\(arriving) of version \(version.map(String.init) ?? "none") after \(known)"
      #expect(bench.shown.last == (isTaken ? value : 5), comment)
      #expect(bench.machine.newest?.version == (isTaken ? version : 5), comment)
      let mustAsk = version == 4 && (arriving == .answer || arriving == .completePatch)
      if mustAsk { #expect(bench.pause != nil || bench.flight != 0, comment) }
      // Nothing that is older is written to the cache.
      #expect(!isTaken || arriving == .cacheEntry || bench.stored == ["A": value], comment)
      #expect(isTaken || !bench.stored.values.contains(value), comment)
    }
  }

  @Test
  func `an answer that a patch has overtaken does not undo it, and its callers succeed`() {
    var bench = RemoteBench(hasStream: true)
    bench.start()
    bench.answer(RemoteBench.content(6, version: 6))
    bench.handle(.refresh(1))
    bench.handle(.patched(Self.patch(7, value: 7), stream: 1))
    bench.answer(RemoteBench.content(6, version: 6))
    #expect(bench.shown == [nil, 6, 7])
    #expect(bench.answers == [1: nil])
    #expect(bench.state == .ready)
    #expect(bench.pause == nil, "the stream sends all changes")
  }

  @Test
  func `a server that stays behind is asked again after growing pauses`() {
    var bench = RemoteBench(hasStream: true)
    bench.chance = 1
    bench.start(bench.cached(7, version: 7))
    bench.advance(by: .seconds(10))
    var pauses: [Duration?] = []
    for _ in 0..<4 {
      bench.answer(RemoteBench.content(6, version: 6))
      pauses.append(bench.pause)
      bench.advance(by: bench.pause ?? .zero)
    }
    #expect(pauses == [.seconds(1), .seconds(2), .seconds(4), .seconds(8)])
    #expect(bench.shown == [7])
    bench.answer(RemoteBench.content(8, version: 8))
    #expect(bench.shown == [7, 8])
    #expect(bench.pause == nil)
  }

  @Test(arguments: [false, true])
  func `a server whose versions begin anew is believed after ten minutes`(hasStream: Bool) {
    var bench = RemoteBench(hasStream: hasStream)
    bench.start()
    bench.answer(RemoteBench.content(70, version: 70))
    bench.advance(by: .seconds(60))
    bench.handle(.refresh(1))
    bench.answer(RemoteBench.content(1, version: 1))
    #expect(bench.shown.last == 70)
    for _ in 0..<100 where bench.shown.last == 70 {
      bench.advance(by: .seconds(30))
      if bench.flight != 0 { bench.answer(RemoteBench.content(1, version: 1)) }
    }
    #expect(bench.shown.last == 1)
    #expect(bench.elapsed > .seconds(600))
    // A cached version of long ago does not bind the next launch.
    var next = RemoteBench(hasStream: hasStream)
    next.start(RemoteBench.content(70, version: 70, fetched: next.date.addingTimeInterval(-3_600)))
    next.handle(.refresh(1))
    next.answer(RemoteBench.content(1, version: 1))
    #expect(next.shown.last == 1)
  }

  @Test
  func `a patch is not applied to the values of other attributes, nor to cached ones without a version`() {
    for (version, fingerprint) in [(6, "other"), (nil, "a")] {
      var bench = RemoteBench(.onRequest, hasStream: true)
      var content = bench.cached(6, version: version)
      content.fingerprint = fingerprint
      bench.start(content)
      bench.handle(.patched(Self.patch(7, value: 7), stream: 1))
      #expect(bench.shown == [6])
      #expect(bench.requests.map(\.etag) == [nil])
      bench.answer(RemoteBench.content(6, version: 6))
      #expect(bench.shown == [6, 6, 7])
    }
  }

  @Test
  func `changes between two connections are requested before patches without known order are applied`() {
    var bench = RemoteBench(hasStream: true)
    bench.start()
    bench.answer(RemoteBench.content(1))
    bench.handle(.streamEnded(stream: 1))
    bench.advance(by: .seconds(1))
    #expect(bench.requests.count == 2)
    bench.handle(.patched(Self.patch(9, value: 9), stream: 2))
    #expect(bench.shown == [nil, 1])
    bench.answer(RemoteBench.content(8))
    #expect(bench.shown == [nil, 1, 8, 9])
  }

  @Test
  func `a request that began before a connection does not stand for the changes in between`() {
    var bench = RemoteBench(hasStream: true)
    bench.start()
    bench.answer(RemoteBench.content(1, version: 1))
    bench.handle(.streamEnded(stream: 1))
    bench.handle(.refresh(1))
    bench.advance(by: .seconds(1))
    #expect(bench.machine.stream.isConnected)
    bench.answer(RemoteBench.content(1, version: 1))
    #expect(bench.requests.count == 3)
    bench.answer(RemoteBench.content(2, version: 2))
    #expect(bench.requests.count == 3)
    #expect(bench.pause == nil)
  }

  @Test
  func `waiting patches follow an unchanged answer, too`() {
    var bench = RemoteBench(hasStream: true)
    bench.start(bench.cached(1))
    bench.advance(by: .seconds(10))
    bench.handle(.patched(Self.patch(9, value: 9), stream: 1))
    #expect(bench.shown == [1])
    bench.handle(.answered(flight: bench.flight, .success(.notModified), retryAfter: nil))
    #expect(bench.shown == [1, 9])
    #expect(bench.requests.count == 1)
  }
}
