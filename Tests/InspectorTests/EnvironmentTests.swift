import AppGroups
import Containers
import Foundation
import Inspector
import Signals
import TestSupport
import Testing

/// Roots with environments, and sessions in them.
@Suite struct EnvironmentTests {
  @Test func `environments are listed, and a switch by another process is followed with all values`() async throws {
    let directory = try InspectedDirectory()
    let app = try AppContainer(home: directory.url)
    let note = try AppGroupsFile(name: "note.json", initialValue: "default", scope: app.scope)
    let work = try app.create(name: "Work", description: "for tests")
    let inspector = try Inspector(directory: directory.url)
    guard case .container(let before)? = inspector.value["container/"]?.typedDetails else { throw CommandFailure() }
    #expect(before.environments.map(\.name) == ["Default", "Work"])
    #expect(before.environments.map(\.active) == [true, false])
    #expect(before.environments.last?.description == "for tests")
    #expect(before.journal == nil)

    let peer = try PeerProcess()
    _ = try await peer.send("env \(directory.url.path)")
    _ = try await peer.send("env-activate \(work.id.uuidString)")
    let after = try await inspector.wait { snapshot in
      guard case .container(let details)? = snapshot["container/"]?.typedDetails else { return false }
      return details.active == work.id.uuidString && snapshot["file/note.json"]?.value == "default"
    }
    #expect(after["container/"]?.seq != "0")
    try await note.write("at work")
    _ = try await inspector.wait { $0["file/note.json"]?.value == "at work" }
    try await peer.kill()
  }

  @Test(arguments: ["database", "file"])
  func `a session shows its user and never its secret`(location: String) async throws {
    let directory = try InspectedDirectory()
    let peer = try PeerProcess()
    _ = try await peer.send("context-open \(directory.url.path) \(location)")
    _ = try await peer.send("context-setup")
    let inspector = try Inspector(directory: directory.url)
    _ = try await peer.send("context-login ann")
    let snapshot = try await inspector.wait { snapshot in
      snapshot.resources(.session).contains { resource in
        if case .session(let session) = resource.typedDetails { session.user == "ann" } else { false }
      }
    }
    let resource = try #require(snapshot.resources(.session).first)
    guard case .session(let session) = resource.typedDetails else { throw CommandFailure() }
    #expect(session.state == .in)
    #expect(session.generation > 0)
    // The archive holds the user's record with the name `new`, and a folder beside it the secret.
    let secrets = try FileManager.default.contentsOfDirectory(atPath: directory.file("secrets").path)
    #expect(secrets.contains { $0.hasPrefix("session-") })
    #expect(!snapshot.resources.contains { $0.path?.hasPrefix("secrets") ?? false })
    let json = String(decoding: try InspectorJSON.encode(resource), as: UTF8.self)
    #expect(!json.contains("new"))
    #expect(!json.contains("session-"))
    _ = try await peer.send("context-logout")
    _ = try await inspector.wait { snapshot in
      snapshot.resources(.session).contains { resource in
        if case .session(let session) = resource.typedDetails { session.state == .out } else { false }
      }
    }
    try await peer.kill()
  }
}
