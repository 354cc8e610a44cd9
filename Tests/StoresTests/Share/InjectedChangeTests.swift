import Dispatch
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

/// An emitter stands in for the kernel, so that changes are noticed only when the test sends them.
@Suite("Databases with injected changes", .patient)
struct InjectedChangeTests {
  let fixture: ShareFixture
  let changes = Emitter<PathChange, Never>()

  init() throws {
    fixture = try ShareFixture()
  }

  @Test func `a share delivers others' commits when its source sends a change`() async throws {
    let database = try fixture.database()
    let bell = try ShareBell(beside: fixture.file)
    let recorder = ShareRecorder(author: "app", scope: ["item"], limits: ShareLimits(), bell: bell)
    try await database.write { try $0.execute(script: ShareTables.script) }
    #expect(database.writer.setRecorder(recorder))
    let feed = try ShareFeed(
      database, url: fixture.file, author: "app", recorder: recorder, bell: bell, changes: changes)
    let incoming = feed.incoming.recorded()
    // This waits for the queue, on which the feed subscribes.
    #expect(try feed.pendingCount() == 0)
    #expect(await changes.subscriptions().map(\.description) == ["sink"])

    let other = try fixture.database()
    let theirs = try fixture.share(other, "helper")
    try insert("bread", into: other)
    #expect(try feed.pendingCount() == 1 && incoming.elements.isEmpty)
    changes.send(PathChange(written: "bell"))
    let change = try await incoming.first { _ in true }
    #expect(change.author == "helper" && change["item"].inserted == [1])

    theirs.close()
    feed.end(isWaiting: true)
    #expect(changes.subscriberCount == 0)
  }

  @Test func `foreign writes are noticed only when the source reports a change of the database's files`()
    async throws
  {
    let database = try fixture.database()
    let queue = Guarded<DispatchQueue?>(nil)
    let writes = ForeignWrites(beside: fixture.file) { [changes] (_, used) throws(FileObserverError) in
      queue.withLock { $0 = used }
      return changes
    }
    let seen = database.delivery.emitter.recorded()
    writes.start(database)
    let used = try #require(queue.withLock { $0 })
    // The subscription is made on the queue.
    used.sync {}
    #expect(await changes.subscriptions().map(\.description) == ["sink"])

    // Another connection of the same process counts as another program here.
    let other = try fixture.database()
    try insert("bread", into: other)
    used.sync { changes.send(PathChange(written: "another.sqlite")) }
    #expect(!writes.isLookAwaited)
    used.sync { changes.send(PathChange(written: "list.sqlite-wal")) }
    let change = try await seen.first { _ in true }
    #expect(change.origin == .foreign && change["item"].isEverything)

    writes.end()
    #expect(changes.subscriberCount == 0)
  }

  /// A source that needs one watch per file, like kqueue, and during whose setup the files are written.
  private struct LateSource: ChangeSource {
    let changes: Emitter<PathChange, Never>
    let write: @Sendable () -> Void

    func subscribe(_ subscriber: some SignalSubscriber<PathChange, Never>) -> SignalSubscription {
      changes.subscribe(subscriber)
    }

    func follow(_ names: Set<String>) -> Set<String> {
      write()
      return names
    }
  }

  @Test func `a foreign write is noticed although its file was not watched yet`() async throws {
    let database = try fixture.database()
    let other = try fixture.database()
    let source = LateSource(changes: changes) {
      do { try insert("bread", into: other) } catch { Issue.record(error) }
    }
    let writes = ForeignWrites(beside: fixture.file) { (_, _) throws(FileObserverError) in source }
    let seen = database.delivery.emitter.recorded()
    writes.start(database)
    let change = try await seen.first { _ in true }
    #expect(change.origin == .foreign && change["item"].isEverything)
    writes.end()
  }
}
