import Signals
import TestSupport
import Testing

@testable import Cluster

@Suite("Writing a cache", .patient)
struct CacheWriterTests {
  /// A cache whose changes wait at a gate.
  private final class BlockedCache: SharedValue {
    enum Outage: Error, Hashable { case line }

    /// Opened by the first change.
    let reached = Gate()
    let gate = Gate()
    let failures = Emitter<Outage, Never>()
    let status: Property<SharedValueStatus<Outage>> = .constant(.current)
    private let stored = MutableProperty(ClusterRecord(0))

    var property: Property<ClusterRecord<Int>> { stored }
    var value: ClusterRecord<Int> { stored.value }

    func read() -> ClusterRecord<Int> { stored.value }

    func write(_ value: ClusterRecord<Int>) { stored.value = value }

    func update<Result: Sendable>(
      _ body: @escaping @Sendable (inout ClusterRecord<Int>) throws -> Result
    ) async throws -> Result {
      reached.open()
      try await gate.pass()
      return try stored.modify(body)
    }

    func subscribe(_ subscriber: some SignalSubscriber<ClusterRecord<Int>, Never>) -> SignalSubscription {
      stored.subscribe(subscriber)
    }
  }

  /// Returns the numbers that a cache gets if records arrive while the first one is being written.
  private func written(_ records: [(number: Int, era: Int)]) async throws -> [Int] {
    let cache = BlockedCache()
    let numbers = cache.recorded()
    let writer = CacheWriter(cache)
    writer.keep(ClusterRecord(5, at: 5), era: 0)
    try await cache.reached.pass()
    for (number, era) in records { writer.keep(ClusterRecord(number, at: Int64(number)), era: era) }
    cache.gate.open()
    try await numbers.wait { $0.count == 3 }
    return numbers.elements.map(\.value)
  }

  @Test func `a record that arrives late does not replace a newer one`() async throws {
    #expect(try await written([(10, 0), (7, 0)]) == [0, 5, 10])
  }

  @Test func `a new era replaces a newer revision, even if its first record arrives late`() async throws {
    #expect(try await written([(3, 1), (2, 1), (10, 0)]) == [0, 5, 3])
  }
}
