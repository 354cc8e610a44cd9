import Foundation
import NotesKit
import SignalsKit
import TokenServer

/// A home with a server of tokens, both of which end with the test.
struct TestHome: Sendable {
  let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString, directoryHint: .isDirectory)
  let server: TokenServer
  let address: URL

  /// Runs a test in a home of its own.
  static func run(lifetime: Double = 600, _ body: (TestHome) async throws -> Void) async throws {
    let server = try TokenServer(lifetime: lifetime)
    let home = TestHome(server: server, address: try await server.start())
    defer {
      do { try FileManager.default.removeItem(at: home.home) } catch { print("\(home.home.path) is left: \(error)") }
    }
    let result: Result<Void, any Error>
    do { result = .success(try await body(home)) } catch { result = .failure(error) }
    await server.stop()
    // Whatever still works in the background writes nothing from here on, so that the directory can be removed.
    try await AppGroupsContainer(directory: home.home).suspend()
    try result.get()
  }

  /// Opens the app, as each process does when it starts.
  func open(time: SessionTime = .system) async throws -> NotesApp {
    let app = try NotesApp(home: home, server: address, time: time)
    try await app.restoreSession()
    return app
  }

  /// Opens the app with a user in each environment, and returns it in the first.
  func openWithUsers() async throws -> NotesApp {
    let app = try await open()
    for name in AppContainer.names.reversed() {
      try await app.environments.activate(named: name)
      try await app.logIn("user of \(name)")
    }
    return app
  }
}
