import AppGroups
import Containers
import Foundation
import Signals
import TestSupport

/// Environments, and switches between them.
///
/// - `env-crash N`: kill this process at the Nth step of later changes
/// - `env DIR`: open the root DIR
/// - `env-first NAME DIR`: open the root DIR, whose first environment gets a name, and answer the name that it has
/// - `env-named NAME`: get the environment with a name, creating it if missing
/// - `env-unique`: require unique names
/// - `env-new NAME`, `env-activate UUID`, `env-delete UUID`, `env-clean UUID`, `env-clone UUID`, `env-reset`: change it
/// - `env-rename UUID NAME`: give an environment another name
/// - `env-names`: the names of all environments, separated by commas
/// - `env-export UUID PATH`, `env-import PATH`: write an archive, or create an environment from one
/// - `env-counts`: the number of activations of each environment and the second of its last one, separated by commas
/// - `env-active`, `env-list`: the active environment, and all of them, separated by commas
/// - `env-hammer UUIDS N SEED`: switch to one of them at random, N times
/// - `env-endless UUIDS SEED`: the same endlessly, on a separate thread
/// - `env-file NAME`: open a text in the scope of the root, and report each value as `value TEXT`
/// - `env-write TEXT`: write it
/// - `env-count NAME N`: open a number in the scope of the root, and increment it N times
/// - `env-follow`: report `active UUID`, `did FROM TO` and `list N` from now on
final class ContainerCommands: CommandFamily {
  private let console: Console
  private var opened: AppContainer?
  private var file: AppGroupsFile<String>?
  private var subscriptions: Set<SignalSubscription> = []
  private var crash: StepCounter?

  init(console: Console) {
    self.console = console
  }

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "env-crash":
      let counter = try StepCounter(command.number(command.argument()))
      crash = counter
      opened?.onStep { _ in counter.count() }
    case "env-pause":
      let console = console
      let counter = try StepCounter(command.number(command.argument())) {
        console.report("paused")
        while true { pause() }
      }
      try app().onStep { _ in counter.count() }
    case "env":
      let root = try URL(filePath: command.argument(), directoryHint: .isDirectory)
      opened = try openEnvironments(of: root) { [crash] _ in crash?.count() }
    case "env-first":
      let arguments = try command.arguments(2)
      let app = try AppContainer(
        home: URL(filePath: arguments[1], directoryHint: .isDirectory), defaultName: arguments[0])
      opened = app
      return app.active.value.name
    case "env-active": return try app().active.value.id.uuidString
    case "env-list": return try app().environments.value.map(\.id.uuidString).joined(separator: ",")
    case "env-names": return try app().environments.value.map(\.name).joined(separator: ",")
    case "env-counts":
      return try app().environments.value.map { environment in
        let date = environment.lastActivatedAt.map { "\(Int($0.timeIntervalSince1970))" } ?? "never"
        return "\(environment.activationCount) \(date)"
      }.joined(separator: ",")
    case "env-file":
      let console = console
      let file = try AppGroupsFile(name: command.argument(), initialValue: "nothing", scope: app().scope)
      file.sink { console.report("value \($0)") }.store(in: &subscriptions)
      self.file = file
    case "env-count":
      let arguments = try command.arguments(2)
      let file = try AppGroupsFile(name: arguments[0], initialValue: 0, scope: app().scope)
      for _ in 0..<(try command.number(arguments[1])) { try file.update { $0 += 1 } }
    case "env-write": try file?.write(command.argument())
    case "env-follow": try follow()
    default: return try change(command)
    }
    return ""
  }

  private func change(_ command: Command) throws -> String? {
    switch command.word {
    case "env-new": return try app().create(name: command.argument()).id.uuidString
    case "env-named": return try app().createIfMissing(name: command.argument()).id.uuidString
    case "env-unique": try app().requiresUniqueNames = true
    case "env-clone": return try app().clone(id: command.identifier()).id.uuidString
    case "env-activate": try app().activate(id: command.identifier())
    case "env-delete": try app().delete(id: command.identifier())
    case "env-clean": try app().clean(id: command.identifier())
    case "env-rename":
      let arguments = try command.arguments(2)
      let id = try environmentID(arguments[0])
      return try app().update(id: id, name: arguments[1], description: nil).name
    case "env-reset": try app().reset()
    case "env-export":
      let arguments = try command.arguments(2)
      try app().export(id: environmentID(arguments[0]), to: URL(filePath: arguments[1]))
    case "env-import": return try app().importEnvironment(from: URL(filePath: command.argument())).id.uuidString
    case "env-hammer":
      let arguments = try command.arguments(3)
      var chance = try Chance(seed: UInt64(command.number(arguments[2])))
      for _ in 0..<(try command.number(arguments[1])) { try hop(arguments[0], app(), &chance) }
    case "env-endless":
      let arguments = try command.arguments(2)
      let (app, console) = (try app(), console)
      let seed = try UInt64(command.number(arguments[1]))
      Thread {
        var chance = Chance(seed: seed)
        do {
          while true { try hop(arguments[0], app, &chance) }
        } catch {
          console.report("stopped \(error)")
        }
      }.start()
    default: return nil
    }
    return ""
  }

  private func follow() throws {
    let (app, console) = (try app(), console)
    app.active.sink { console.report("active \($0.id)") }.store(in: &subscriptions)
    app.environments.sink { console.report("list \($0.count)") }.store(in: &subscriptions)
    app.events.sink { event in
      switch event {
      case .willChange(let from, let to): console.report("will \(from.id) \(to.id)")
      case .didChange(let from, let to): console.report("did \(from.id) \(to.id)")
      case .failed(_, _, let error): console.report("failed \(error)")
      }
    }.store(in: &subscriptions)
  }

  private func app() throws -> AppContainer {
    guard let opened else { throw CommandError(description: "no root is open") }
    return opened
  }
}

/// The identifier in a command.
private func environmentID(_ text: String) throws -> UUID {
  guard let id = UUID(uuidString: text) else { throw CommandError(description: "\(text) is no identifier") }
  return id
}

extension Command {
  /// The one argument, as the identifier of an environment.
  func identifier() throws -> UUID { try environmentID(argument()) }
}

/// Switches to one of the environments.
func hop(_ uuids: String, _ app: AppContainer, _ chance: inout Chance) throws {
  let ids = try uuids.split(separator: ",").map { try environmentID(String($0)) }
  try app.activate(id: ids[chance.number(below: ids.count)])
}

/// Opens the environments of a root, which has the layout of a sandbox if it contains the system's folders.
func openEnvironments(
  of root: URL, onStep: @escaping @Sendable (SwitchStep) -> Void = { _ in }
) throws -> AppContainer {
  let isSandbox = ["tmp", "Library/Preferences"].allSatisfy { path in
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }
  return isSandbox ? try AppContainer(sandbox: root, onStep: onStep) : try AppContainer(home: root, onStep: onStep)
}
