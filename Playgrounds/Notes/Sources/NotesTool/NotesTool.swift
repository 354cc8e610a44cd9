import ArgumentParser
import Foundation
import NotesKit
import SignalsKit

/// The tool, which works on the same files as the daemon, and needs none: each command opens the app, does one thing,
/// and ends.
@main
struct NotesTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notes",
    abstract: "Writes and reads notes, with or without the daemon.",
    discussion: "Exit codes: 0 done, 1 failed, 3 another environment is active, 64 usage.",
    subcommands: [
      Add.self, List.self, Edit.self, Pin.self, Remove.self, Activities.self, Watch.self, Changes.self, Login.self,
      Logout.self,
      Environments.self, Switch.self, Configure.self, Flags.self,
    ],
    defaultSubcommand: List.self)
}

/// The options and objects of all commands.
struct Place: ParsableArguments {
  @Option(help: "The directory of all notes; by default $NOTES_HOME, or one of the user.") var home: String?
  @Option(help: "The server that issues tokens; by default $NOTES_SERVER, or that of the daemon.") var server: String?

  /// Opens the app, and runs a closure with it.
  ///
  /// A process that runs once opens what the daemon opens, and pays for what it uses: no query is read, no event is
  /// consumed, and no presence is announced unless the command does so. When it ends, it leaves nothing to clean up.
  func run(_ body: (NotesApp) async throws -> Void) async throws {
    do {
      let address = server ?? ProcessInfo.processInfo.environment["NOTES_SERVER"] ?? "http://127.0.0.1:8412"
      guard let server = URL(string: address) else { throw ValidationError("\(address) is not an address.") }
      let app = try NotesApp(home: NotesApp.home(home), server: server)
      try await app.restoreSession()
      try await body(app)
    } catch let error as ValidationError {
      throw error
    } catch {
      FileHandle.standardError.write(Data("error: \(error.localizedDescription)\n".utf8))
      throw ExitCode(Self.code(for: error))
    }
  }

  /// A script can tell "try again in the right environment" from a failure.
  private static func code(for error: any Error) -> Int32 {
    switch error {
    case NotesError.otherEnvironment, DatabaseError.switched, ContextError.environmentSwitched: 3
    default: 1
    }
  }
}

/// The environment in which a change makes sense.
struct Target: ParsableArguments {
  @Option(name: .customLong("in"), help: "The environment that must be active, so that nothing lands in another one.")
  var environment: String?
}

/// Reads an identity from the command line.
func identity(_ text: String) throws -> UUID {
  guard let id = UUID(uuidString: text) else { throw ValidationError("\(text) is not the identity of a note.") }
  return id
}
