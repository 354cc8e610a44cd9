import Foundation
import Signals
import SignalsTesting
import Testing
@testable import Tweaks

@Suite("Failures of the cache of a remote provider")
struct CacheFailureTests {
  @Test
  func `a failure to write is over after a write, and the next one is reported again`() async throws {
    let fixture = try CacheFixture()
    let directory = fixture.cache.directory
    let provider = fixture.provider(1)
    let failures = provider.failures.recorded()
    for count in 1...2 {
      // A file is where the directory must be.
      try Data().write(to: directory)
      try await provider.refresh()
      try await provider.refresh()
      #expect(failures.elements.count == count)
      try FileManager.default.removeItem(at: directory)
      try await provider.refresh()
      #expect(provider.failures.recorded().elements.isEmpty)
      try FileManager.default.removeItem(at: directory)
    }
  }

  @Test
  func `the damage of an entry is reported again after a sound one was read`() async throws {
    let fixture = try CacheFixture()
    let provider = fixture.provider(1)
    try await provider.refresh()
    let entry = try fixture.entry()
    let sound = try Data(contentsOf: entry)
    let faults = TweakFaults(of: "CacheStore", "test")
    let failures = faults.signal.recorded()
    let store = CacheStore(fixture.cache, provider: "test", faults: faults)
    let name = String(entry.lastPathComponent.dropLast(".tweaks".count))
    for count in 1...2 {
      try Data("damaged".utf8).write(to: entry)
      let damaged = store.load(name) { _ in [] }
      #expect(damaged == nil)
      #expect(failures.elements.count == count)
      try sound.write(to: entry)
      let loaded = store.load(name) { _ in [] }
      #expect(loaded != nil)
      #expect(faults.signal.recorded().elements.isEmpty)
    }
  }

  @Test
  func `a fault of two operations is sent and kept once, until both have succeeded`() {
    let faults = TweakFaults(of: "TweakFaults", "test")
    let failures = faults.signal.recorded()
    let fault = TweakError.unusableStore(provider: "test", reason: "full")
    for operation in ["follow", "write"] { faults.report(fault, of: operation) }
    #expect(failures.elements == [fault])
    #expect(faults.signal.recorded().elements == [fault])
    faults.removeAll(of: "follow")
    #expect(faults.signal.recorded().elements == [fault])
    faults.removeAll(of: "write")
    #expect(faults.signal.recorded().elements.isEmpty)
  }

  @Test
  func `of more than a thousand faults, the oldest are forgotten`() {
    let faults = TweakFaults(of: "TweakFaults", "test")
    let failures = faults.signal.recorded()
    func fault(_ number: Int) -> TweakError { .unusableStore(provider: "test", reason: "\(number)") }
    for number in 0...1_000 { faults.report(fault(number)) }
    #expect(failures.elements == (0...1_000).map(fault))
    #expect(faults.signal.recorded().elements == (1...1_000).map(fault))
  }
}
