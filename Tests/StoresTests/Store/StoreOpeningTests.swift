import Dispatch
import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

@Suite("Opening the databases of a store", .patient)
struct StoreOpeningTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Creates a store that runs a closure while it creates a database.
  private func store(
    persistence: (@Sendable () throws -> Void)? = nil, cache: (@Sendable () throws -> Void)? = nil
  ) -> Store {
    func schema(_ body: (@Sendable () throws -> Void)?) -> Schema {
      Schema(version: 1, models: [Errand.self], creation: { _ in try body?() })
    }
    return Store(
      persistenceDirectory: directory.url, cacheDirectory: directory.url,
      versions: StoreVersions(cache: schema(cache), persistence: schema(persistence)))
  }

  /// Runs a closure on a thread, and returns its error, or "hung" if it does not end.
  ///
  /// Only a failing test waits for the time limit.
  private func outcome(_ body: @escaping @Sendable () throws -> Void) async throws -> String? {
    try await onThread {
      let (end, error) = (DispatchSemaphore(value: 0), Shared<String?>(nil))
      Thread.detachNewThread {
        do { try body() } catch let failure { error.value = "\(failure)" }
        end.signal()
      }
      return end.wait(timeout: .now() + 20) == .success ? error.value : "hung"
    }
  }

  @Test func `a step of a migration can use another database of the store`() async throws {
    let current = Shared<Store?>(nil)
    let store = store(persistence: {
      try current.value?.cache.write { try $0.put(Errand(id: 1)) }
      try current.value?.memory.write { try $0.execute("CREATE TABLE note (text TEXT)") }
    })
    current.value = store
    #expect(try await outcome { _ = try store.persistence } == nil)
    #expect(try await store.cache.read { try $0.count(Errand.self) } == 1)
    current.value = nil
  }

  @Test func `an open database is returned while another one is being migrated`() async throws {
    let (begun, proceed) = (Gate(), Gate())
    let store = store(persistence: {
      begun.open()
      proceed.block()
    })
    let cache = try store.cache
    let persistence = Task { try await onThread { try store.persistence } }
    try await begun.pass()
    #expect(try await outcome { _ = try store.cache } == nil)
    #expect(try await outcome { _ = try store.memory } == nil, "one that is not open yet is opened")
    proceed.open()
    let opened = try await persistence.value
    #expect(try store.cache === cache)
    #expect(try store.persistence === opened)
  }

  @Test func `a step that asks for its own database gets an error`() async throws {
    let current = Shared<Store?>(nil)
    let store = store(persistence: { _ = try current.value?.persistence })
    current.value = store
    let error = try #require(try await outcome { _ = try store.persistence })
    #expect(error.contains("inside a migration"))
    current.value = nil
  }

  @Test func `steps of two databases that wait for each other end with an error`() async throws {
    let current = Shared<Store?>(nil)
    let (first, second) = (Gate(), Gate())
    let store = store(
      persistence: {
        first.open()
        second.block()
        _ = try current.value?.cache
      },
      cache: {
        second.open()
        first.block()
        _ = try current.value?.persistence
      })
    current.value = store
    async let one = outcome { _ = try store.persistence }
    async let two = outcome { _ = try store.cache }
    let outcomes = try await [one, two]
    #expect(outcomes.count { $0?.contains("inside a migration") == true } >= 1, "\(outcomes)")
    #expect(!outcomes.contains("hung"))
    current.value = nil
  }

  @Test func `threads that ask for one database get the same object`() async throws {
    let store = store()
    try await onThread {
      let found = Kept<Database>()
      withThreads(8) { _ in
        do { found.keep(try store.persistence) } catch { Issue.record(error) }
      }
      #expect(Set(found.values.map { ObjectIdentifier($0) }).count == 1)
      #expect(found.values.count == 8)
    }
  }

  @Test func `a store that is closed during a migration closes the migrated database`() async throws {
    let (begun, proceed, closing) = (Gate(), Gate(), Gate())
    let store = store(persistence: {
      begun.open()
      proceed.block()
    })
    async let opening = outcome { _ = try store.persistence }
    try await begun.pass()
    let directory = directory
    async let closed = outcome {
      closing.open()
      store.close()
      // The file is closed when the call returns.
      let locked = try LockTable.files(in: directory.url, lockedBy: getpid())
      #expect(locked == [])
    }
    try await closing.pass()
    proceed.open()
    let (error, end) = try await (opening, closed)
    #expect(end == nil)
    // It may also have been opened before the store was closed.
    if let error { #expect(error.contains("closed")) }
    #expect(databaseError { _ = try store.persistence } == .closed(path: directory.file("persistence.sqlite").path))
  }

  @Test func `a failed opening is tried again by the next call`() throws {
    struct Failure: Error {}
    let fails = Shared(true)
    let store = store(persistence: { if fails.value { throw Failure() } })
    #expect(databaseError { _ = try store.persistence } != nil)
    fails.value = false
    #expect(try store.persistence === store.persistence)
  }
}
