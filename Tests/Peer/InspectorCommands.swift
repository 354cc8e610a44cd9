import AppGroups
import Foundation
import Inspector
import Signals

/// An app that publishes its signals, and perhaps lets inspectors edit its shared files.
///
/// - `publish DIR`: publish in the container of this directory, without edits, instead of the earlier publication
/// - `publish-edits DIR NAME`: publish with edits, and open the file NAME as a ``Song``
/// - `block-tasks`: block all threads that tasks share, forever
/// - `song-suspend`, `song-resume`: suspend and resume this process in the container
/// - `song`: the song, as this process has it
/// - `inspect DIR`: inspect a directory, with the right to change it
/// - `inspect-title NAME TITLE`: set the title of the song NAME through the process that has it open
final class InspectorCommands: CommandFamily {
  private var container: AppGroupsContainer?
  private var publication: SignalSubscription?
  private var song: AppGroupsFile<Song>?
  private var inspector: Inspector?

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "publish":
      publication = try Inspector.publish(in: open(command.argument()))
    case "publish-edits":
      let arguments = try command.arguments(2)
      let container = try open(arguments[0])
      song = try AppGroupsFile(
        name: arguments[1], initialValue: Song(), container: container, options: .init(maximumSize: 4096))
      publication = try Inspector.publish(in: container, allowingEdits: true)
    case "block-tasks":
      let priorities: [TaskPriority] = [.background, .utility, .medium, .high]
      for priority in priorities + priorities.reversed() {
        for _ in 0..<64 { Task.detached(priority: priority) { sleep(.max) } }
      }
    case "song": return song.map { "\($0.value)" } ?? ""
    case "inspect":
      let url = try URL(filePath: command.argument(), directoryHint: .isDirectory)
      inspector = try Inspector(directory: url, isWritable: true)
    case "inspect-title":
      let arguments = try command.arguments(2)
      guard let inspector else { throw CommandError(description: "no directory is inspected") }
      var request = InspectorRequest(.editValue, "file/" + arguments[0])
      request.version = inspector.value[request.resource ?? ""]?.version
      (request.path, request.value) = ("/title", .string(arguments[1]))
      try wait { [request] in _ = try await inspector.perform(request) }
    case "song-suspend": try container?.suspend(within: .seconds(60))
    case "song-resume": try container?.resume(within: .seconds(60))
    default: return nil
    }
    return ""
  }

  private func open(_ path: String) throws -> AppGroupsContainer {
    let opened = try AppGroupsContainer(directory: URL(filePath: path, directoryHint: .isDirectory))
    container = opened
    return opened
  }
}

/// A value with parts that only its type knows: names of a kind, and members that may be absent.
struct Song: Codable, Sendable, CustomStringConvertible {
  enum Kind: String, Codable, Sendable {
    case pop, jazz
  }

  var title = "Blue"
  var kind = Kind.jazz
  var rating: Int?
  var tags: [String] = []
  var apiToken = "hunter2"

  var description: String {
    let words = [title, "\(kind)", rating.map { "\($0)" } ?? "-", tags.joined(separator: "+"), apiToken]
    return words.joined(separator: " ")
  }
}
