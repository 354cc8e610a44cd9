import AppGroups
import FarmKit
import Foundation
import SignalsKit
import SignalsTesting
import Stores
import Testing

@Suite("The farm", .timeLimit(.minutes(30)))
struct FarmTests {
  private static let isTorture = ProcessInfo.processInfo.environment["SIGNALS_TORTURE"] != nil

  private let home: URL
  private let farm: Farm

  init() throws {
    home = FileManager.default.temporaryDirectory.appending(path: "farm-\(UUID().uuidString)")
    farm = try Farm(home: home)
  }

  /// The builds of the artifacts in the active environment.
  private func artifacts() async throws -> [Int] {
    try await farm.database.read { try $0.all(Query<Artifact>()).map(\.build).sorted() }
  }

  @Test
  func `killed workers and switches lose no build, and no build is made twice`() async throws {
    let (width, count, switches) = Self.isTorture ? (5, 10_000, 20) : (3, 400, 4)
    let names = ["Default", "Second"]
    try farm.environments.createIfMissing(name: names[1])
    for (index, name) in names.enumerated() {
      try activate(name)
      try await farm.database.write { transaction in
        for number in 1...count / 2 {
          try farm.builds.add(Build(number: index * count + number, effort: 2), in: transaction)
        }
      }
    }
    let workers = Workers(try (0..<width).map { _ in try WorkerProcess(home: home) }, home: home)
    for turn in 1...switches {
      for _ in 0..<5 { try await workers.killNext() }
      try activate(names[turn % 2])
    }
    for name in names {
      try activate(name)
      while try await unfinished() > 0 { try await workers.killNext() }
    }
    // One that has just begun is ended by the signal itself.
    #expect(Set(workers.end()).isSubset(of: [0, SIGTERM]))
    for (index, name) in names.enumerated() {
      try activate(name)
      #expect(try await artifacts() == (1...count / 2).map { index * count + $0 })
      #expect(try await unfinished() == 0)
    }
    print("\(count) builds, \(workers.kills) kills, \(switches + 2) switches: each build has one result")
    try FileManager.default.removeItem(at: home)
  }

  private func activate(_ name: String) throws {
    try farm.environments.activate(farm.environments.environment(named: name))
  }

  private func unfinished() async throws -> Int {
    for await counts in farm.builds.counts.values { return counts.unfinished }
    throw CancellationError()
  }

  /// Workers of which one is killed and replaced every tenth of a second.
  private final class Workers {
    private var workers: [WorkerProcess]
    private let home: URL
    private(set) var kills = 0

    init(_ workers: [WorkerProcess], home: URL) {
      (self.workers, self.home) = (workers, home)
    }

    func killNext() async throws {
      try await Task.sleep(for: .milliseconds(100))
      let victim = kills % workers.count
      _ = workers[victim].kill()
      workers[victim] = try WorkerProcess(home: home)
      kills += 1
    }

    /// Asks all workers to end, and returns their statuses.
    func end() -> [Int32] { workers.map { $0.terminate() } }
  }

  /// The moments at which the end of each worker was noticed.
  private final class Absences: Sendable {
    private let times = MutableProperty<[Int32: Double]>([:])

    func note(_ present: [PresentProcess<String>], of all: Set<Int32>) {
      let now = Date().timeIntervalSince1970
      let gone = all.subtracting(present.map(\.processIdentifier))
      times.modify { times in for process in gone where times[process] == nil { times[process] = now } }
    }

    func time(of process: Int32) async throws -> Double {
      for await times in times.values { if let time = times[process] { return time } }
      throw CancellationError()
    }
  }

  @Test
  func `the builds of a killed worker begin again as soon as its end is known`() async throws {
    let rounds = Self.isTorture ? 300 : 20
    let share = farm.environments.home.appending(path: "farm.sqlite-share")
    var (reports, claims): ([Double], [Double]) = ([], [])
    var first = try WorkerProcess(home: home)
    for round in 1...rounds {
      try await farm.builds.add(Build(number: round, effort: 3_600_000))
      try await beginning(of: round, attempt: 1, by: first)
      let presence = try AppGroupsPresence<String>(name: "builds", container: AppGroupsContainer(directory: share))
      let absences = Absences()
      let all: Set = [first.identifier]
      // The second worker waits: it has announced itself.
      let second = try WorkerProcess(home: home)
      for await present in presence.values where present.contains(where: { $0.processIdentifier == second.identifier })
      {
        break
      }
      let subscription = presence.sink { absences.note($0, of: all) }
      let time = first.kill()
      let begun = try await beginning(of: round, attempt: 2, by: second)
      reports.append(try await absences.time(of: first.identifier) - time)
      claims.append(begun.time - time)
      subscription.cancel()
      for await running in farm.builds.jobs(.running).values where !running.isEmpty {
        try farm.builds.cancel(running[0].id)
        break
      }
      first = second
    }
    _ = first.kill()
    let (report, claim) = (Self.percentile(reports), Self.percentile(claims))
    print("the end of a worker is reported after \(report) ms, and its build begins again after \(claim) ms (p50, p99)")
    try FileManager.default.removeItem(at: home)
  }

  @discardableResult
  private func beginning(
    of build: Int, attempt: Int, by worker: WorkerProcess
  ) async throws -> WorkerProcess.Beginning {
    for await beginnings in worker.beginnings.values {
      if let found = beginnings.last(where: { $0.build == build && $0.attempt == attempt }) { return found }
    }
    throw CancellationError()
  }

  private static func percentile(_ times: [Double]) -> [Double] {
    let sorted = times.sorted()
    return [0.5, 0.99].map { (sorted[Int(Double(sorted.count - 1) * $0)] * 10_000).rounded() / 10 }
  }
}
