import Foundation
import Logging
import ServiceLifecycle
import SignalsKit
import SignalsLifecycle
import Testing

@Suite("Services", .timeLimit(.minutes(1)))
struct LifecycleTests {
  private let place: Place
  private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  init() throws {
    place = try Place()
  }

  private func group(_ services: any Service...) -> ServiceGroup {
    ServiceGroup(services: services, logger: logger)
  }

  /// A service that writes when the group shuts down.
  private struct LastWrite: Service {
    let began = Emitter<Void, Never>(replay: 1)
    let write: @Sendable () async throws -> Void

    func run() async throws {
      began.send(())
      try await gracefulShutdown()
      try await write()
    }
  }

  @Test
  func `a container is suspended after the services that write to it`() async throws {
    let file = try place.file("last.json", 0)
    let service = LastWrite { try await file.update { $0 += 1 } }
    let group = group(ContainerService(place.container), service)
    let run = Task { try await group.run() }
    for await _ in service.began.values { break }
    #expect(!place.container.isSuspended)
    await group.triggerGracefulShutdown()
    try await run.value
    #expect(file.value == 1)
    #expect(place.container.isSuspended)
    #expect(throws: AppGroupsFileError.self) { try file.update { $0 += 1 } }
  }

  @Test
  func `a cancelled group suspends its container, too`() async throws {
    let service = LastWrite {}
    let group = group(ContainerService(place.container), service)
    let run = Task { try await group.run() }
    for await _ in service.began.values { break }
    run.cancel()
    _ = await run.result
    #expect(place.container.isSuspended)
  }

  @Test
  func `work that does not end is an error of the group`() async throws {
    let file = try place.file("last.json", 0)
    let (begins, release) = (Emitter<Void, Never>(replay: 1), DispatchSemaphore(value: 0))
    let work = Task.detached {
      try await file.update { value in
        begins.send(())
        release.wait()
        value += 1
      }
    }
    for await _ in begins.values { break }
    let group = group(ContainerService(place.container, suspendWithin: .milliseconds(50)))
    await group.triggerGracefulShutdown()
    await #expect(throws: SuspensionError.self) { try await group.run() }
    release.signal()
    try await work.value
    #expect(file.value == 1)
  }

  @Test
  func `jobs that have begun end within the grace, and no other one begins`() async throws {
    let database = try place.database()
    let queue = place.queue(database)
    for name in ["Ada", "Ben", "Cleo"] { try await queue.add(name) }
    let (begins, release) = (Emitter<String, Never>(replay: 3), Emitter<Void, Never>(replay: 1))
    let ending = MutableProperty(false)
    let worker = WorkerService(queue, grace: .seconds(60)) { job in
      begins.send(job.value)
      await withGracefulShutdownHandler {
        for await _ in release.values { break }
      } onGracefulShutdown: {
        ending.value = true
      }
      try Task.checkCancellation()
      try await job.finish { try $0.put(Letter(id: job.id, text: job.value)) }
    }
    let group = group(ContainerService(place.container), worker)
    let run = Task { try await group.run() }
    for await _ in begins.values { break }
    await group.triggerGracefulShutdown()
    for await isEnding in ending.values where isEnding { break }
    release.send(())
    try await run.value
    try await place.container.resume()
    #expect(try await database.read { try $0.all(Letter.self).map(\.text) } == ["Ada"])
    #expect(try queue.claim(upTo: 3).map(\.value) == ["Ben", "Cleo"])
    try database.close()
  }

  @Test(arguments: [Duration.zero, .milliseconds(20)])
  func `a job that outlasts the grace waits again, and has not failed`(grace: Duration) async throws {
    let database = try place.database()
    let queue = place.queue(database)
    try await queue.add("Ada")
    let begins = Emitter<Void, Never>(replay: 1)
    let worker = WorkerService(queue, grace: grace) { _ in
      begins.send(())
      try await Task.sleep(for: .seconds(3_600))
    }
    let group = group(ContainerService(place.container), worker)
    let run = Task { try await group.run() }
    for await _ in begins.values { break }
    await group.triggerGracefulShutdown()
    try await run.value
    try await place.container.resume()
    let again = try queue.claim()
    #expect(again.map(\.value) == ["Ada"])
    #expect(again.map(\.failureCount) == [0])
    try database.close()
  }

  @Test
  func `a cancelled worker gives its jobs back at once, whatever the grace`() async throws {
    let database = try place.database()
    let queue = place.queue(database)
    try await queue.add("Ada")
    let begins = Emitter<Void, Never>(replay: 1)
    let worker = WorkerService(queue, grace: .seconds(3_600)) { _ in
      begins.send(())
      try await Task.sleep(for: .seconds(3_600))
    }
    let run = Task { try await worker.run() }
    for await _ in begins.values { break }
    run.cancel()
    await #expect(throws: CancellationError.self) { try await run.value }
    #expect(try queue.claim().map(\.value) == ["Ada"])
    try database.close()
  }

  @Test
  func `a job that is cancelled from outside ends while the service runs`() async throws {
    let database = try place.database()
    let queue = place.queue(database)
    let id = try await queue.add("Ada")
    let (begins, ends) = (Emitter<Void, Never>(replay: 1), Emitter<Void, Never>(replay: 1))
    let worker = WorkerService(queue, grace: .seconds(3_600)) { _ in
      begins.send(())
      defer { ends.send(()) }
      try await Task.sleep(for: .seconds(3_600))
    }
    let run = Task { try await worker.run() }
    for await _ in begins.values { break }
    try queue.cancel(id)
    for await _ in ends.values { break }
    run.cancel()
    _ = await run.result
    try database.close()
  }

  @Test
  func `a queue that is closed ends the group with its error`() async throws {
    let database = try place.database()
    try database.close()
    let group = group(ContainerService(place.container), WorkerService(place.queue(database)) { _ in })
    await #expect(throws: DatabaseError.self) { try await group.run() }
  }

  @Test
  func `a process that is asked to end finishes its letters, suspends, and exits with 0`() async throws {
    let database = try place.database()
    let queue = place.queue(database)
    let process = try LettersProcess(place.url.path)
    #expect(try await LettersProcess(place.url.path, "level", "debug").end() == 0)
    for name in ["Ada", "Ben", "Cleo"] { try await queue.add(name) }
    // The level has changed in the running process, in which two letters may be written at a time.
    try await process.line(containing: "begins")
    process.terminate()
    #expect(try await process.end() == 0)
    try await process.line(containing: "suspended: true")
    let written = try await database.read { try $0.all(Letter.self).map(\.text) }
    #expect(!written.isEmpty)
    #expect(Set(written).isSubset(of: ["Dear Ada,", "Dear Ben,", "Dear Cleo,"]))
    #expect(try queue.claim(upTo: 3).count + written.count == 3, "no letter is lost, and none is written twice")
    try database.close()
  }
}
