import FlyingFox
import FlyingSocks
public import Foundation
public import Inspector
import Synchronization

/// A server on this machine that shows an inspector in a browser.
public final class PanelServer: Sendable {
  private let server: HTTPServer
  private let hub: EventHub
  private let stored: PanelToken
  private let directory: URL
  private let tokens: URL
  private let port: Port

  /// The port, once the server listens.
  private final class Port: Sendable {
    let value = Atomic<UInt16>(0)
  }

  /// Creates a server at rest.
  ///
  /// - Parameters:
  ///   - inspector: The inspector to show.
  ///   - port: The port, or 0 for the port of the last panel of the directory, if it is free.
  ///   - tokens: The folder for the file with the port and the token; by default one of the user.
  /// - Throws: An error of the system.
  public init(_ inspector: Inspector, port: UInt16 = 0, tokens: URL? = nil) throws {
    directory = URL(filePath: inspector.value.directory)
    self.tokens = tokens ?? PanelToken.folder
    var stored = PanelToken.load(for: directory, in: self.tokens)
    if port != 0 { stored.port = port }
    if stored.port != 0, port == 0, !Self.isFree(stored.port) { stored.port = 0 }
    self.stored = stored
    hub = EventHub(inspector)
    let chosen = Port()
    self.port = chosen
    let routes = PanelRoutes(
      inspector: inspector, hub: hub, pages: try PageFiles(), token: stored.token,
      port: { chosen.value.load(ordering: .relaxed) })
    server = HTTPServer(
      address: try .inet(ip4: "127.0.0.1", port: stored.port),
      pool: ReadingLimit(.seconds(10), of: HTTPServer.defaultPool()), logger: .disabled, handler: routes)
  }

  /// Starts the server, and runs it until the task is cancelled.
  ///
  /// - Parameter ready: A closure that receives the address with the token.
  /// - Throws: An error of the socket.
  public func run(ready: @escaping @Sendable (URL) -> Void) async throws {
    await hub.start()
    defer { Task { [hub] in await hub.stop() } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [server] in try await server.run() }
      try await server.waitUntilListening()
      guard case .ip4(_, let port)? = await server.listeningAddress else { throw CocoaError(.fileReadUnknown) }
      self.port.value.store(port, ordering: .relaxed)
      var stored = stored
      stored.port = port
      try stored.save(for: directory, in: tokens)
      if let url = URL(string: "http://127.0.0.1:\(port)/#token=\(stored.token)") { ready(url) }
      try await group.waitForAll()
    }
  }

  /// Ends the server.
  public func stop() async {
    await hub.stop()
    await server.stop()
  }

  private static func isFree(_ port: UInt16) -> Bool {
    do {
      let socket = try Socket(domain: AF_INET, type: .stream)
      defer { do { try socket.close() } catch {} }
      try socket.setValue(true, for: .localAddressReuse)
      try socket.bind(to: .inet(ip4: "127.0.0.1", port: port))
      return true
    } catch {
      return false
    }
  }
}
