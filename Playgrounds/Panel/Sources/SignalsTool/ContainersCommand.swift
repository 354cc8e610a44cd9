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
      _ action: InspectorRequest.Action, question: String? = nil, isConfirmed: Bool = true,
      _ complete: (inout InspectorRequest) -> Void
    ) async throws {
      try await Failure.reporting {
        let inspector = try place.open(writing: true)
        let resource = try Place.resource("container/\(root)", in: inspector.value)
        var request = InspectorRequest(action, resource.id)
        complete(&request)
        if let question, !dryRun { try Confirmation.ask(question, isGiven: isConfirmed) }
        try await change(request, inspector, dryRun: dryRun, json: place.json)
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the environments.")
    @OptionGroup var options: Options

    func run() async throws {
      try await Failure.reporting {
        let resource = try Place.resource("container/\(options.root)", in: options.place.open().value)
        guard case .container(let container) = resource.details else { return }
        if options.place.json { return try Place.printJSON(container) }
        var table = Table("ACTIVE", "NAME", "ID", "ACTIVATIONS")
        for environment in container.environments {
          table.add(environment.active ? "*" : "", environment.name, environment.id, "\(environment.activations)")
        }
        table.print()
        if let journal = container.journal { print(journal.text) }
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
        guard case .container(let container) = resource.details else { return }
        let found = container.environments.filter { $0.id == environment.uppercased() || $0.name == environment }
        guard let shown = found.first else {
          throw Failure("Can't find \(environment): there is no such environment. Run `containers list`.", code: 2)
        }
        if found.count > 1 {
          throw Failure("Can't show \(environment): several environments have the name. Use an identifier.", code: 2)
        }
        if options.place.json { return try Place.printJSON(shown) }
        var table = Table("FIELD", "VALUE")
        table.add("name", shown.name)
        table.add("id", shown.id)
        if let description = shown.description { table.add("description", description) }
        table.add("created", shown.created.formatted(.iso8601))
        if let activated = shown.activated { table.add("last activated", activated.formatted(.iso8601)) }
        table.add("activations", "\(shown.activations)")
        table.add("active", shown.active ? "yes" : "no")
        if let problem = shown.problem { table.add("problem", problem) }
        table.print()
      }
    }
  }

  struct Switch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Activates an environment.")
    @Argument(help: "The name or identifier of the environment.") var environment: String
    @OptionGroup var options: Options

    func run() async throws { try await options.perform(.switchContainer) { $0.id = environment } }
  }

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Creates an environment.")
    @Argument(help: "The name.") var name: String
    @Option(help: "The purpose.") var description: String?
    @OptionGroup var options: Options

    func run() async throws {
      try await options.perform(.createContainer) { ($0.name, $0.description) = (name, description) }
    }
  }

  struct Clone: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Copies an environment.")
    @Argument(help: "The name or identifier of the environment.") var environment: String
    @Argument(help: "The name of the copy.") var name: String?
    @OptionGroup var options: Options

    func run() async throws {
      try await options.perform(.cloneContainer) { ($0.id, $0.name) = (environment, name) }
    }
  }

  struct Rename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Renames an environment.")
    @Argument(help: "The name or identifier of the environment.") var environment: String
    @Argument(help: "The new name.") var name: String
    @Option(help: "The new description.") var description: String?
    @OptionGroup var options: Options

    func run() async throws {
      try await options.perform(.renameContainer) {
        ($0.id, $0.name, $0.description) = (environment, name, description)
      }
    }
  }

  struct Clean: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Removes all files of an environment.")
    @Argument(help: "The name or identifier of the environment.") var environment: String
    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var options: Options

    func run() async throws {
      try await options.perform(
        .cleanContainer, question: "Remove all files of the environment \(environment)?", isConfirmed: yes
      ) { $0.id = environment }
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Deletes an environment.")
    @Argument(help: "The name or identifier of the environment.") var environment: String
    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var options: Options

    func run() async throws {
      try await options.perform(
        .deleteContainer, question: "Delete the environment \(environment) and its files?", isConfirmed: yes
      ) { $0.id = environment }
    }
  }

  struct Reset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Activates the default environment, and deletes all others.")
    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var options: Options

    func run() async throws {
      try await options.perform(
        .resetContainers, question: "Delete all environments but the default one, and their files?", isConfirmed: yes
      ) { _ in }
    }
  }

  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Creates an environment from an archive.")
    @Argument(help: "The archive.", completion: .file()) var path: String
    @Argument(help: "The name of the environment; by default the one in the archive.") var name: String?
    @OptionGroup var options: Options

    func run() async throws {
      try await options.perform(.importContainer) { ($0.path, $0.name) = (URL(filePath: path).path, name) }
    }
  }

  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Writes an archive of an environment.")
    @Argument(help: "The name or identifier of the environment.") var environment: String
    @Argument(help: "The archive.", completion: .file()) var path: String
    @OptionGroup var options: Options

    func run() async throws {
      try await options.perform(.exportContainer) {
        ($0.id, $0.path) = (environment, URL(filePath: path).path)
      }
    }
  }
}
