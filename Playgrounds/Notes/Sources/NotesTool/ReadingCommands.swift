import ArgumentParser
import Foundation
import Inspector
import NotesKit
import SignalsKit

struct Activities: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "Lists what happened in the active environment, oldest first.")
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var place: Place

  func run() async throws {
    try await place.run { app in
      let lines = try await app.history.read { try $0.all(Activity.ordered { $0.date }) }
      if json { return try printJSON(lines) }
      for line in lines { print(line.date.formatted(.iso8601), line.user, line.kind.rawValue, line.note) }
    }
  }
}

struct Watch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Prints each change until it is interrupted.")
  @Flag(help: "Print everything that a page shows, as JSON.") var json = false
  @OptionGroup var place: Place

  func run() async throws {
    try await place.run { app in
      // While this process runs, and not a moment longer, the others see it.
      let announcement = try app.presence.announce("watch")
      // The loop keeps the screen alive, and the screen all that it is computed from.
      for await screen in app.screen().frames().values(buffering: .newest(1)) {
        if json {
          try printJSON(screen)
        } else {
          let user = screen.user ?? "nobody"
          print("\(screen.environment): \(user), \(screen.notes.count) notes, \(screen.processes.count) processes")
        }
        // Output to a pipe would wait in a buffer.
        fflush(nil)
      }
      announcement.withdraw()
    }
  }
}

struct Changes: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints which process changed what, and why, until it is interrupted.")
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var place: Place

  func run() async throws {
    let inspector = try Inspector(directory: NotesApp.home(place.home))
    for await change in inspector.changes.values {
      if json {
        try printJSON(change)
      } else {
        let cause = change.cause.map { " (\($0))" } ?? ""
        print(change.process ?? change.author ?? "unknown", change.resource, change.summary + cause)
      }
      fflush(nil)
    }
  }
}
