import ArgumentParser
import NotesKit
import SignalsKit

struct Environments: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Lists the environments, with a star at the active one.")
  @OptionGroup var place: Place

  func run() async throws {
    try await place.run { app in
      let active = app.environments.active.value
      for environment in app.environments.environments.value {
        print(environment.id == active.id ? "*" : " ", environment.name)
      }
    }
  }
}

struct Switch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Switches all processes to another environment.")
  @Argument(help: "The name of the environment.") var name: String
  @OptionGroup var place: Place

  func run() async throws {
    try await place.run { try await $0.environments.activate(named: name) }
  }
}

struct Configure: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Changes the settings of the active environment, and prints them.")
  @Option(help: "The size of text: small, medium or large.", transform: Self.size) var textSize: Settings.TextSize?
  @Option(help: "Whether the page shows the history: true or false.") var showsActivity: Bool?
  @OptionGroup var place: Place

  func run() async throws {
    try await place.run { app in
      try await app.set(textSize: textSize, showsActivity: showsActivity)
      try printJSON(app.settings.value)
    }
  }

  private static func size(_ text: String) throws -> Settings.TextSize {
    guard let size = Settings.TextSize(rawValue: text) else { throw ValidationError("\(text) is not a size of text.") }
    return size
  }
}

struct Flags: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists the flags of the active environment, or overrides one.",
    discussion: "An override holds in all processes until it is reset. $NOTES_FLAG_NOTES__BANNER is one for a process.")
  @Argument(help: "The name of a flag, such as pinning.") var name: String?
  @Argument(help: "Its new value; without one, the override is removed.") var value: String?
  @OptionGroup var place: Place

  func run() async throws {
    try await place.run { app in
      // The panel is the model of a list of flags, for any user interface.
      let panel = TweakPanel(manager: app.tweaks)
      if let name {
        let id = TweakID(feature: "notes", variable: name)
        try value.map { try panel.edit(id, text: $0) } ?? panel.reset(id)
      }
      for row in panel.sections.value.flatMap(\.rows) {
        print("\(row.id.variable) = \(row.text)\t\(row.source)\t\(row.details ?? "")")
      }
    }
  }
}
