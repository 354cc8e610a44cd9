import ArgumentParser
import Foundation
import Inspector

/// Shows and changes environments.
struct ContainersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "containers", abstract: "Lists, switches and changes environments.",
    subcommands: [
      List.self, Show.self, Switch.self, Create.self, Clone.self, Rename.self, Clean.self, Delete.self, Reset.self,
      Export.self, Import.self,
    ])

  struct Options: ParsableArguments {
    @Option(help: "The root of the environments, relative to the directory.") var root = ""
    @Flag(help: "Print what would be done, and change nothing.") var dryRun = false
    @OptionGroup var place: Place

    func perform(
      question: String? = nil, isConfirmed: Bool = true, _ request: (_ container: String) -> InspectorRequest
    ) async throws {
      try await Failure.reporting {
        let inspector = try place.open(writing: true)
        let resource = try Place.resource("container/\(root)", in: inspector.value)
        if let question, !dryRun { try Confirmation.ask(question, isGiven: isConfirmed) }
        try await change(request(resource.id), inspector, dryRun: dryRun, json: place.json)
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the environments.")
    @OptionGroup var options: Options

    func run() async throws {
      try await Failure.reporting {
        let resource = try Place.resource("container/\(options.root)", in: options.place.open().value)
        let container = resource.details
        if options.place.json { return try Place.printJSON(container) }
        var table = Table("ACTIVE", "NAME", "ID", "ACTIVATIONS")
        for environment in container["environments"]?.array ?? [] {
          table.add(
            environment["active"] == true ? "*" : "", environment.text("name"), environment.text("id"),
            environment.text("activations"))
        }
        table.print()
        if let journal = container["journal"] { print(journal.text("text")) }
      }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Shows everything that is known of an environment.")
    @Argument(help: "The name or identifier of the environment.") var environment: String
    @OptionGroup var options: Options

    func run() async throws {
      try await Failure.reporting {
        let resource = try Place.resource("container/\(options.root)", in: options.place.open().value)
        let found = (resource.details["environments"]?.array ?? []).filter {
          $0["id"]?.string == environment.uppercased() || $0["name"]?.string == environment
        }
        guard let shown = found.first else {
          throw Failure("Can't find \(environment): there is no such environment. Run `containers list`.", code: 2)
        }
        if found.count > 1 {
          throw Failure("Can't show \(environment): several environments have the name. Use an identifier.", code: 2)
        }
        if options.place.json { return try Place.printJSON(shown) }
        var table = Table("FIELD", "VALUE")
        table.add("name", shown.text("name"))
        table.add("id", shown.text("id"))
        if let description = shown["description"]?.string { table.add("description", description) }
        if let created = shown["created"]?.double { table.add("created", Self.date(created)) }
        if let activated = shown["activated"]?.double { table.add("last activated", Self.date(activated)) }
        table.add("activations", shown.text("activations"))
        table.add("active", shown["active"] == true ? "yes" : "no")
        if let problem = shown["problem"]?.string { table.add("problem", problem) }
        table.print()
      }
    }

    private static func date(_ time: Double) -> String { Date(timeIntervalSince1970: time).formatted(.iso8601) }
  }

  struct Switch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Activates an environment.")
    @Argument(help: "The name or identifier of the environment.") var environment: String
    @OptionGroup var options: Options

    func run() async throws { try await options.perform { .switchEnvironment(to: environment, in: $0) } }
  }

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Creates an environment.")
    @Argument(help: "The name.") var name: String
    @Option(help: "The purpose.") var description: String?
    @OptionGroup var options: Options

    func run() async throws {
      try await options.perform { .createEnvironment(named: name, description: description, in: $0) }
    }
  }

  struct Clone: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Copies an environment.")
    @Argument(help: "The name or identifier of the environment.") var environment: String
    @Argument(help: "The name of the copy.") var name: String?
    @OptionGroup var options: Options

    func run() async throws {
      try await options.perform { .cloneEnvironment(environment, named: name, in: $0) }
    }
  }

  struct Rename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Renames an environment.")
    @Argument(help: "The name or identifier of the environment.") var environment: String
    @Argument(help: "The new name.") var name: String
    @Option(help: "The new description.") var description: String?
    @OptionGroup var options: Options

    func run() async throws {
      try await options.perform { .renameEnvironment(environment, to: name, description: description, in: $0) }
    }
  }

  struct Clean: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Removes all files of an environment.")
    @Argument(help: "The name or identifier of the environment.") var environment: String
    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var options: Options

    func run() async throws {
      try await options.perform(
        question: "Remove all files of the environment \(environment)?", isConfirmed: yes
      ) { .cleanEnvironment(environment, in: $0) }
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Deletes an environment.")
    @Argument(help: "The name or identifier of the environment.") var environment: String
    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var options: Options

    func run() async throws {
      try await options.perform(
        question: "Delete the environment \(environment) and its files?", isConfirmed: yes
      ) { .deleteEnvironment(environment, in: $0) }
    }
  }

  struct Reset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Activates the default environment, and deletes all others.")
    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var options: Options

    func run() async throws {
      try await options.perform(
        question: "Delete all environments but the default one, and their files?", isConfirmed: yes
      ) { .resetEnvironments(in: $0) }
    }
  }

  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Creates an environment from an archive.")
    @Argument(help: "The archive.", completion: .file()) var path: String
    @Argument(help: "The name of the environment; by default the one in the archive.") var name: String?
    @OptionGroup var options: Options

    func run() async throws {
      try await options.perform { .importEnvironment(from: URL(filePath: path), named: name, in: $0) }
    }
  }

  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Writes an archive of an environment.")
    @Argument(help: "The name or identifier of the environment.") var environment: String
    @Argument(help: "The archive.", completion: .file()) var path: String
    @OptionGroup var options: Options

    func run() async throws {
      try await options.perform { .exportEnvironment(environment, to: URL(filePath: path), in: $0) }
    }
  }
}
