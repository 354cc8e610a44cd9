import Foundation
import Inspector
import MetricsTestKit
import SignalsKit
import SignalsMetrics
import Testing

@Suite("The inspector's counts as metrics", .timeLimit(.minutes(1)))
struct MetricsTests {
  private let place: Place
  private let inspector: Inspector
  private let metrics = TestMetrics()

  init() throws {
    place = try Place()
    inspector = try Inspector(directory: place.url)
  }

  private func counter(_ kind: String, _ name: String, _ operation: String = "update") -> Int64 {
    metrics.counterTotal(
      label: "signals_changes_total", dimensions: [("kind", kind), ("name", name), ("operation", operation)])
  }

  /// The value of the only gauge with these dimensions, or `nil` if there is none.
  private func gauge(_ label: String, _ dimensions: [(String, String)] = []) -> Double? {
    let found = metrics.recorders(label: label, dimensions: dimensions)
    return found.count == 1 ? found[0].lastValue : nil
  }

  /// Waits until the metrics are as they should be.
  private func until(_ isReached: () -> Bool) async throws {
    while !isReached() {
      try Task.checkCancellation()
      await inspector.refresh()
    }
  }

  @Test
  func `the events of a log are counted exactly, and so is the lag of its consumers`() async throws {
    let log = try AppGroupsLog<String>(name: "orders", container: place.container)
    try log.append("before")
    await inspector.refresh()
    let report = inspector.reportMetrics(to: metrics)
    for number in 1...7 { try log.append("order \(number)") }
    try await until { counter("log", "orders", "append") == 7 }
    let (handled, handle) = AsyncStream.makeStream(of: Void.self)
    let events = try log.events(for: "till")
    let reader = events.sink { _ in handle.yield() }
    var count = 0
    for await _ in handled {
      count += 1
      if count == 8 { break }
    }
    reader.cancel()
    try await events.saveProgress()
    try log.append("late")
    try await until { gauge("signals_lag_events", [("name", "orders"), ("consumer", "till")]) == 1 }
    try await until { counter("log", "orders", "append") == 8 }
    #expect(gauge("signals_size_bytes", [("kind", "log"), ("name", "orders")]) ?? 0 > 0)
    report.cancel()
  }

  @Test
  func `the jobs of a queue are gauges by state`() async throws {
    let database = try place.database()
    let queue = place.queue(database)
    for name in ["Ada", "Ben", "Cleo"] { try await queue.add(name) }
    let report = inspector.reportMetrics(to: metrics)
    let jobs = { state in gauge("signals_jobs", [("queue", "letters"), ("state", state)]) }
    try await until { jobs("waiting") == 3 }
    #expect(jobs("failed") == 0)
    let claimed = try queue.claim()
    try await until { jobs("waiting") == 2 && jobs("running") == 1 }
    try claimed[0].finish()
    try await until { jobs("running") == 0 }
    report.cancel()
    try database.close()
  }

  @Test
  func `names beyond the limit are added up as one`() async throws {
    let report = inspector.reportMetrics(to: metrics, kinds: [.file], limit: 2)
    var urls: [URL] = []
    for name in ["a", "b", "c", "d"] {
      let file = try place.file("\(name).json", "four")
      urls.append(file.url)
      try await file.update { $0 = "five \(name)" }
      // The inspector may have seen the initial value, too, which is shorter.
      let content = try Data(contentsOf: file.url)
      try await until { inspector.value["file/\(name).json"]?.size == .init(content.count) }
    }
    let size = Double(try Data(contentsOf: urls[3]).count)
    try await until { gauge("signals_size_bytes", [("name", "other")]) == 2 * size }
    let names = metrics.recorders(label: "signals_size_bytes").flatMap { $0.dimensions.filter { $0.0 == "name" } }
    #expect(Set(names.map(\.1)) == ["a.json", "b.json", "other"])
    #expect(counter("file", "a.json", "insert") == 1)
    #expect(counter("file", "other", "insert") == 2)
    for index in [0, 2] { try FileManager.default.removeItem(at: urls[index]) }
    try await until { gauge("signals_size_bytes", [("name", "other")]) == size }
    #expect(gauge("signals_size_bytes", [("name", "a.json")]) == nil, "the gauge of a removed file is destroyed")
    let file = try place.file("e.json", "four")
    try await file.update { $0 = "five e" }
    try await until { gauge("signals_size_bytes", [("name", "other")]) == 2 * size }
    report.cancel()
    #expect(metrics.recorders.isEmpty)
    #expect(metrics.counters.isEmpty)
  }

  @Test
  func `the changes of published signals are counted by name`() async throws {
    let name = "volume \(UUID().uuidString)"
    let volume = MutableProperty(5).registered(as: name) { "\($0)" }
    let publication = try Inspector.publish(in: place.container)
    try await until { !inspector.value.resources(.graph).isEmpty }
    let report = inspector.reportMetrics(to: metrics)
    for value in 6...8 { volume.value = value }
    try await until { counter("signal", name) == 3 }
    volume.value = 9
    try await until { counter("signal", name) == 4 }
    report.cancel()
    publication.cancel()
  }

  @Test
  func `the processes of a presence are a gauge`() async throws {
    let report = inspector.reportMetrics(to: metrics)
    let presence = try AppGroupsPresence<String>(name: "here", container: place.container)
    let token = try presence.announce("till")
    try await until { gauge("signals_present_processes", [("name", "here")]) == 1 }
    try await until { gauge("signals_processes") == 1 }
    token.withdraw()
    try await until { gauge("signals_present_processes", [("name", "here")]) == 0 }
    report.cancel()
  }
}
