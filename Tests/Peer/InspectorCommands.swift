import AppGroups
import Foundation
import Inspector
import Signals

/// An app that publishes its signals, and perhaps lets inspectors edit its shared files.
///
/// - `publish DIR`: publish in the container of this directory, without edits, instead of the earlier publication
/// - `publish-edits DIR NAME`: publish with edits, and open the file NAME as a ``Song``
/// - `song-suspend`, `song-resume`: suspend and resume this process in the container
/// - `song`: the song, as this process has it
final class InspectorCommands: CommandFamily {
  private var container: AppGroupsContainer?
  private var publication: SignalSubscription?
  private var song: AppGroupsFile<Song>?

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "publish":
      publication = try Inspector.publish(in: open(command.argument()))
    case "publish-edits":
      let arguments = try command.arguments(2)
      let container = try open(arguments[0])
      song = try AppGroupsFile(name: arguments[1], initialValue: Song(), container: container, maximumSize: 4096)
      publication = try Inspector.publish(in: container, allowingEdits: true)
    case "song": return song.map { "\($0.value)" } ?? ""
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
