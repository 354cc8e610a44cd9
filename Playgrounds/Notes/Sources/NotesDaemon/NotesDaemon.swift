import ArgumentParser
import Foundation
import NotesKit
import SignalsKit
import TokenServer

/// The daemon: the page for browsers, the writer of the history, and a stand-in for the server that issues tokens.
///
/// It installs no handler for signals. To be killed is an ordinary end: all that was acknowledged is on disk.
@main
struct NotesDaemon: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notesd", abstract: "Serves notes to browsers on this machine.")

  @Option(help: "The directory of all notes; by default $NOTES_HOME, or one of the user.") var home: String?
  @Option(help: "The port of the page. The server of tokens has the next one.") var port: UInt16 = 8411
  @Option(help: "The number of seconds for which a token is valid.") var tokenLifetime = 600.0

  func run() async throws {
    let home = NotesApp.home(home)
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    // A process may be killed, or the environment switched, between a renewal and its answer.
    let server = try TokenServer(
      lifetime: tokenLifetime, port: port + 1, leeway: 60, file: home.appending(path: "tokens.json"))
    let app = try NotesApp(home: home, server: try await server.start())
    try await app.restoreSession()

    let web = try WebServer(app, port: port)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await web.run() }
      group.addTask { try await HistoryKeeper(app).run { Self.report("The history was not written", $0) } }
      try await web.waitUntilListening()
      // The kernel ends the announcement with the process, however that ends.
      let announcement = try app.presence.announce("daemon")
      print("Open http://127.0.0.1:\(port)")
      defer { announcement.withdraw() }
      // Neither task ends without a failure.
      try await group.next()
    }
  }

  /// Writes a failure to the log of the daemon.
  static func report(_ operation: String, _ error: any Error) {
    FileHandle.standardError.write(Data("\(operation): \(error.localizedDescription)\n".utf8))
  }
}
