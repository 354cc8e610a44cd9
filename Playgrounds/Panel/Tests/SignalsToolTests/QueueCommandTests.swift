import Containers
import Foundation
import Signals
import Stores
import Testing

/// The command `signals queue`, as a process of its own.
@Suite(.serialized) struct QueueCommandTests {
  private struct NoPaper: Error, CustomStringConvertible {
    var description: String { "no paper" }
  }

  private let world: ToolWorld
  private let pages: WorkQueue<String>

  init() throws {
    world = try ToolWorld()
    let database = try Database(
      .file(world.app.home.appending(path: "spool.sqlite")), busyTimeout: .seconds(60), scope: world.app.scope)
    pages = WorkQueue("pages", in: database, retries: .constant(.zero, limit: 0))
    try pages.add("letter")
    for page in try pages.claim() { try page.fail(NoPaper()) }
  }

  private func queue(_ arguments: String...) throws -> ToolWorld.Run {
    try ToolWorld.signals(["queue"] + arguments + ["--directory", world.app.home.path])
  }

  @Test func `the command line shows the queues of a database, also as JSON`() throws {
    let list = try queue("list", "spool.sqlite")
    #expect(list.status == 0)
    #expect(list.output == "pages: 1 failed\n  1  failed  attempt 1  no paper\n")
    struct Queue: Decodable {
      let name: String
      let counts: [String: Int]
    }
    let json = try JSONDecoder().decode([Queue].self, from: Data(queue("list", "spool.sqlite", "--json").output.utf8))
    #expect(json.map(\.name) == ["pages"] && json.first?.counts == ["failed": 1])
  }

  @Test func `the command line retries a failed job, and refuses one that waits`() throws {
    #expect(
      try queue("retry", "spool.sqlite", "pages", "1", "--dry-run").output
        == "Would retry the job 1 of the queue pages.\n")
    #expect(try queue("retry", "spool.sqlite", "pages", "1").output == "Retried the job 1 of the queue pages.\n")
    #expect(try pages.claim().map(\.value) == ["letter"])
    let refused = try queue("retry", "spool.sqlite", "pages", "1")
    #expect(refused.status == 1 && refused.errors.contains("neither failed nor delayed"))
  }

  @Test func `the command line cancels a job only if that is confirmed`() throws {
    #expect(try queue("cancel", "spool.sqlite", "pages", "1").status == 4)
    #expect(
      try queue("cancel", "spool.sqlite", "pages", "1", "--yes").output == "Cancelled the job 1 of the queue pages.\n")
    #expect(try queue("cancel", "spool.sqlite", "pages", "1", "--yes").status == 2)
  }
}
