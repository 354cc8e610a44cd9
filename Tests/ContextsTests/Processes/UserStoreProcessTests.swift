import Foundation
import TestSupport
import Testing

@Suite("Databases of a user in several processes", .timeLimit(.minutes(5)))
struct UserStoreProcessTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func peer() async throws -> PeerProcess {
    let peer = try PeerProcess()
    try await peer.send("context-open \(directory.url.path) database")
    try await peer.send("context-setup")
    return peer
  }

  @Test func `changes are followed from process to process, row by row`() async throws {
    let first = try await peer()
    try await first.send("context-login ada")
    let second = try await peer()
    try await first.send("context-follow")
    try await second.send("context-follow")
    try await second.send("context-put 1 bread")
    try await first.events.wait(for: "items bread")
    try await first.events.wait(for: "changed 1")
    try await first.send("context-put 2 milk")
    try await second.events.wait(for: "items bread milk")
    try await second.events.wait(for: "changed 2")
    #expect(!(first.events.elements + second.events.elements).contains("changed everything"))
  }

  @Test func `after a switch of users, the new user's rows are followed, and the old user's are not shown`()
    async throws
  {
    let first = try await peer()
    try await first.send("context-login ada")
    let second = try await peer()
    try await first.send("context-put 1 bread")
    try await second.send("context-follow")
    try await second.events.wait(for: "items bread")
    try await first.send("context-logout")
    try await first.send("context-login grace")
    try await second.events.wait(for: "an empty list") { $0.last == "items " }
    try await second.send("context-await authenticated 2")
    try await first.send("context-put 1 flour")
    try await second.events.wait(for: "items flour")
  }

  @Test func `killed processes leave no author behind`() async throws {
    let first = try await peer()
    try await first.send("context-login ada")
    for round in 1...3 {
      let next = try await peer()
      try await next.send("context-follow")
      try await next.send("context-put \(round) bread")
      try await next.kill()
    }
    let folder = directory.file("users/ada/persistence.sqlite-share").path
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["bell"])
  }
}
