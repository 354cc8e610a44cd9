import ArgumentParser
import Foundation
import NotesKit

struct Add: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Adds a note, and prints its identity.")
  @Argument(help: "The words of the note.") var words: [String]
  @OptionGroup var target: Target
  @OptionGroup var place: Place

  func run() async throws {
    try await place.run { app in
      // Printed after the commit: whoever reads the identity can rely on the note.
      print(try app.add(words.joined(separator: " "), in: target.environment).id)
    }
  }
}

struct List: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Lists the notes that contain all of some words.")
  @Argument(help: "The words.") var words: [String] = []
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var place: Place

  func run() async throws {
    try await place.run { app in
      let notes = try app.notes(containing: words)
      if json { return try printJSON(notes) }
      for note in notes { print(note.id, note.isPinned ? "*" : " ", note.text) }
    }
  }
}

struct Edit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Replaces the text of a note.")
  @Argument(help: "The identity of the note.", transform: identity) var note: UUID
  @Argument(help: "The words of the note.") var words: [String]
  @OptionGroup var target: Target
  @OptionGroup var place: Place

  func run() async throws {
    try await place.run { try $0.edit(note, text: words.joined(separator: " "), in: target.environment) }
  }
}

struct Pin: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Pins a note to the top of the list.")
  @Argument(help: "The identity of the note.", transform: identity) var note: UUID
  @Flag(name: .customLong("off"), help: "Unpin it.") var isOff = false
  @OptionGroup var target: Target
  @OptionGroup var place: Place

  func run() async throws {
    try await place.run { try $0.pin(note, !isOff, in: target.environment) }
  }
}

struct Remove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Removes a note.")
  @Argument(help: "The identity of the note.", transform: identity) var note: UUID
  @OptionGroup var target: Target
  @OptionGroup var place: Place

  func run() async throws {
    try await place.run { try $0.remove(note, in: target.environment) }
  }
}

/// Prints a value as one line of JSON.
func printJSON(_ value: some Encodable) throws {
  let encoder = JSONEncoder()
  encoder.dateEncodingStrategy = .iso8601
  encoder.outputFormatting = .sortedKeys
  print(String(decoding: try encoder.encode(value), as: UTF8.self))
}
