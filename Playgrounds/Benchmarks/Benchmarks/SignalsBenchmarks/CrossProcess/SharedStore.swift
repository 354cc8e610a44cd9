import AppGroups
import Benchmark
import Catalog
import Dispatch
import Foundation
import GRDB
import Machine
import Signals
import Stores

/// Commits of a database that processes share, on their way to another one.
func registerSharedStores() {
  measureTimed("storeShared", ours) {
    let directory = try TemporaryDirectory(isInMemory: false)
    let store = try SharedStore(in: directory.url, author: "writer")
    let other = try OtherProcess(Role.storeSubscriber, in: directory.url)
    var number: Int64 = 0
    return { _, stopwatch in
      number += 1
      let start = DispatchTime.now().uptimeNanoseconds
      try store.database.write { try $0.execute(upsert, arguments: arguments(.numbered(number))) }
      guard let answer = other.answer(), answer.number == Int(number) else { throw NoChange(number: number) }
      stopwatch.measurement(.latency, answer.time - Int(start))
      withExtendedLifetime(directory) {}
    }
  }
}

/// Commits on their way to who observes the database in the same process.
func registerLiveStores() {
  measureTimed("storeLive", ours) {
    let database = try Stores.Database(.file(temporaryFile()))
    try database.write { try $0.execute(schema) }
    let arrival = Arrival()
    let newest = database.observe { transaction in
      try transaction.value("SELECT max(id) FROM person")
    }
    let subscription = newest.sink(receiveCompletion: { _ in }, receiveValue: { arrival.note($0.int64Value) })
    return commits(seenBy: arrival, keeping: subscription) { person in
      try database.write { _ = try $0.execute(upsert, arguments: arguments(person)) }
    }
  }
  measureTimed("storeObject", ours) {
    let database = try Stores.Database(
      .file(temporaryFile()), schema: Stores.Schema(version: 1, models: [Person.self]))
    let arrival = Arrival()
    let object = try database.live(Person.self, id: 1)
    let subscription = object.sink { arrival.note($0.map { Int64($0.age) }) }
    return commits(seenBy: arrival, keeping: subscription) { person in
      var changed = person
      (changed.id, changed.age) = (1, Int(person.id))
      try database.write { try $0.put(changed) }
    }
  }
  measureTimed("storeLive", "GRDB") {
    let pool = try DatabasePool(path: temporaryFile().path)
    try pool.write { try $0.execute(sql: schema) }
    let arrival = Arrival()
    let newest = ValueObservation.tracking { try Int64.fetchOne($0, sql: "SELECT max(id) FROM person") }
    let observation = newest.start(
      in: pool, scheduling: .async(onQueue: DispatchQueue(label: "observation", qos: .userInitiated)),
      onError: { _ in }, onChange: { arrival.note($0) })
    return commits(seenBy: arrival, keeping: observation) { person in
      try pool.write { try person.upsert($0) }
    }
  }
}

/// One commit at a time: the next one is made when the last has been seen.
private func commits(
  seenBy arrival: Arrival, keeping observation: some Any, _ commit: @escaping (Person) throws -> Void
) -> TimedWorkload {
  var number: Int64 = 0
  return { _, stopwatch in
    number += 1
    let start = DispatchTime.now().uptimeNanoseconds
    try commit(.numbered(number))
    stopwatch.measurement(.latency, Int(arrival.wait(for: number)) - Int(start))
    withExtendedLifetime(observation) {}
  }
}

/// When a number came.
private final class Arrival: @unchecked Sendable {  // Sound: guarded by the condition.
  private let condition = NSCondition()
  private var number: Int64 = 0
  private var time: UInt64 = 0

  func note(_ number: Int64?) {
    let now = DispatchTime.now().uptimeNanoseconds
    condition.withLock {
      (self.number, time) = (number ?? 0, now)
      condition.signal()
    }
  }

  func wait(for expected: Int64) -> UInt64 {
    condition.withLock {
      while number < expected { condition.wait() }
      return time
    }
  }
}

private struct NoChange: Error {
  let number: Int64
}

/// A database that this process shares with others.
private struct SharedStore {
  let database: Stores.Database
  let share: DatabaseShare

  init(in directory: URL, author: String) throws {
    database = try Stores.Database(.file(directory.appending(path: "people.sqlite")))
    try database.write { try $0.execute(schema.replacing("CREATE TABLE", with: "CREATE TABLE IF NOT EXISTS")) }
    share = try DatabaseShare(
      database, container: AppGroupsContainer(directory: directory), author: author,
      tables: ["person"])
  }
}

// MARK: In the other process

func answerCommits(in directory: URL) throws {
  let store = try SharedStore(in: directory, author: "reader")
  let subscription = store.share.incoming.sink { changes in
    for key in changes["person"].inserted {
      send(Message(number: Int(key.int64Value ?? 0)), to: STDOUT_FILENO)
    }
  }
  send(Message(number: 0), to: STDOUT_FILENO)
  while receive(from: STDIN_FILENO) != nil {}
  withExtendedLifetime(subscription) {}
}
