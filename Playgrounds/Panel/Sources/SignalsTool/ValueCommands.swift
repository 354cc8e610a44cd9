import ArgumentParser
import Foundation
import Inspector

/// Prints one resource.
struct GetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Prints the value of a file or suite, a part of it, or any other resource as JSON.")

  @Argument(help: "A name, or an identifier such as log/inbox.") var name: String
  @Argument(help: "A place in the value, such as /theme.") var path: String?
  @Option(help: "The table of a database whose rows to print.") var table: String?
  @Option(help: "The largest number of rows or events.") var limit = 100
  @OptionGroup var place: Place

  func run() async throws {
    try await Failure.reporting {
      let inspector = try place.open()
      let resource = try Place.resource(name, in: await inspector.refresh())
      if let table {
        return try Place.printJSON(try await inspector.rows(of: table, in: resource.id, limit: limit))
      }
      guard [.file, .suite, .tweak].contains(resource.kind) else { return try Place.printJSON(resource) }
      if place.json, path == nil { return try Place.printJSON(resource) }
      guard let value = try await inspector.resource(resource.id).value else {
        let cause = resource.status == .large ? "it is too large to be read" : "it has no value in JSON"
        throw Failure("Can't show \(resource.id): \(cause). List the resources to see which have one.", code: 1)
      }
      guard let path else { return print(value.fileText, terminator: "") }
      guard let part = value.part(at: path) else {
        throw Failure("Can't read \(path) of \(name): there is no such place.", code: 2)
      }
      if let text = part.string, !place.json { print(text) } else { print(part) }
    }
  }
}

/// Changes one place of a shared value.
struct SetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Changes one place of a shared value.",
    discussion: """
      The value is JSON. A value that is not JSON counts as a text: `signals set settings.json /theme dark`.

      If an app has the file open and allows edits, it makes the change, and its type decides about the value. \
      Otherwise the value keeps its shape.
      """
  )

  @Argument(help: "A name, or an identifier such as file/settings.json.") var name: String
  @Argument(help: "A place in the value, such as /theme; / followed by nothing is the member with an empty name.")
  var path: String
  @Argument(help: "The new value as JSON.") var value: String
  @Flag(help: "Print what would be done, and change nothing.") var dryRun = false
  @OptionGroup var place: Place

  func run() async throws {
    try await Failure.reporting {
      let inspector = try place.open(writing: true)
      let resource = try Place.resource(name, in: inspector.value, [.file, .suite])
      let value = Self.parsed(value, replacing: resource.value?.part(at: path))
      try await change(.set(value, at: path, of: resource), inspector, dryRun: dryRun, json: place.json)
    }
  }

  /// Returns the value of a JSON text, or the text itself where a text is expected.
  private static func parsed(_ text: String, replacing old: InspectedValue?) -> InspectedValue {
    do {
      let value = try InspectedValue(json: Data(text.utf8), name: "the argument")
      if value.string == nil, old?.string != nil { return .string(text) }
      return value
    } catch {
      return .string(text)
    }
  }
}

/// Removes a key of a suite, or a member of a value.
struct UnsetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unset", abstract: "Removes a key of a suite, or a member that a value of an app may lack.")

  @Argument(help: "A name, or an identifier such as suite/flags.json.") var name: String
  @Argument(help: "The place of the key or member, such as /theme.") var path: String
  @Flag(help: "Print what would be done, and change nothing.") var dryRun = false
  @OptionGroup var place: Place

  func run() async throws {
    try await Failure.reporting {
      let inspector = try place.open(writing: true)
      let resource = try Place.resource(name, in: inspector.value, [.file, .suite])
      try await change(.remove(path, of: resource), inspector, dryRun: dryRun, json: place.json)
    }
  }
}

/// Makes a change, and prints what it did.
func change(_ request: InspectorRequest, _ inspector: Inspector, dryRun: Bool, json: Bool) async throws {
  let outcome = try await inspector.perform(request, dryRun: dryRun)
  if json { return try Place.printJSON(outcome) }
  print(outcome.message)
}

extension InspectedValue {
  /// Returns the part at a JSON pointer.
  func part(at pointer: String) -> InspectedValue? {
    pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst().reduce(Optional(self)) { value, part in
      let name = part.replacing("~1", with: "/").replacing("~0", with: "~")
      if case .array? = value { return Int(name).flatMap { value?[$0] } }
      return value?[String(name)]
    }
  }
}
