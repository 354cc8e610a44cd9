import Containers
import Contexts
import Dispatch
import FileSignals
import Foundation
import Signals
import Stores

/// A session whose archive several processes share.
///
/// - `context-open ROOT LOCATION`: open the root; the archive is in a `database`, or in a `file`
/// - `context-scope HOME SERVER`: open the sessions in the scope of an `AppContainer`; the server has its own file
/// - `context-version NUMBER`: the version of the model, before `context-setup`
/// - `context-policy MILLISECONDS repeats|once forgets|keeps`: the longest wait, whether tokens may be used twice, and
///   whether the sessions of users who are not logged in are kept, before `context-open`
/// - `context-replace ID`: log in a user whom the server does not know; `context-reopen ID`: log in a known user;
///   `context-leave`: log the user out without ending the session
/// - `context-accounts MILLISECONDS`: give each user tokens of its own, which count once, and take up to so long for an
///   answer, after `context-open`; the server notes a token that is sent twice, with the process that sent it first
/// - `context-setup`, `context-login ID`, `context-renew`, `context-valid`, `context-logout`, `context-name NAME`
/// - `context-expire`: end the session
/// - `context-state`: the state, the user and the token
/// - `context-await STATE TOKEN`: wait for the state and the token
/// - `context-put ID TEXT`: store an item in the current context's database
/// - `context-follow`: report each change of the current context's items, as `items TEXT TEXT`, and each change of its
///   database by another process, as `changed` and the keys of new rows, or `everything`
/// - `context-hold WORD`: block in the next `login`, `renew`, `logout` or `migrate`, and report `holding WORD`
/// - `context-stop WORD`: the same, with a `SIGSTOP`, after which the process continues
///
/// All but `context-hold`, `context-stop`, `context-accounts`, `context-policy` and `context-version` answer with the
/// state.
final class ContextCommands: CommandFamily {
  struct Item: StoreModel, Equatable {
    static let table = TableSpec("item")
    var id: Int
    var text: String
  }

  struct Visitor: SessionUser {
    nonisolated(unsafe) static var modelVersion = 1  // Sound: set before the first use, by the only thread.

    let id: String
    var name: String
    var token = 0
    var expiration: Date?

    private enum CodingKeys: String, CodingKey {
      case id, name, expiration
    }

    init(id: String, name: String, token: Int) {
      self.id = id
      self.name = name
      self.token = token
      expiration = Date(timeIntervalSinceNow: 3600)
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(String.self, forKey: .id)
      name = try container.decode(String.self, forKey: .name)
      expiration = try container.decodeIfPresent(Date.self, forKey: .expiration)
    }

    var secret: Data? {
      get { Data("\(token)".utf8) }
      set { token = newValue.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0 }
    }
  }

  /// A server, stored in a file, whose tokens can be used once.
  final class Server: AuthControllerDelegate {
    struct State: Codable {
      var token = 0
      var renewals = 0
      /// The processes that have sent a token, of a server with accounts.
      var senders: [Int: Int32]?
      /// The first senders of the tokens that were sent twice.
      var reuses: [Int32]?
    }

    let url: URL
    let id = MutableProperty("ada")
    let held = MutableProperty("")
    let stopped = MutableProperty("")
    let pause = MutableProperty<Int?>(nil)
    let console: Console

    init(url: URL, console: Console) {
      self.url = url
      self.console = console
    }

    func authenticate() async throws -> Visitor {
      hold("login")
      return try change { state in
        state.token += 1
        return Visitor(id: id.value, name: "new", token: state.token)
      }
    }

    func shouldRefreshAuthentication(with user: Visitor, isStartup: Bool) -> Bool { user.isExpired(at: Date()) }

    func refreshAuthentication(with user: Visitor) async throws -> Visitor {
      hold("renew")
      if let pause = pause.value { return try exchange(user, within: pause) }
      return try change { state in
        guard user.token == state.token else { throw AuthRejection(reason: "\(user.token) is not \(state.token)") }
        state.token += 1
        state.renewals += 1
        return Visitor(id: user.id, name: user.name, token: state.token)
      }
    }

    /// Begins a session of a user.
    func account(_ id: String) throws -> Visitor {
      guard pause.value != nil else { return Visitor(id: id, name: "other", token: 0) }
      return try change { state in
        state.token += 1
        return Visitor(id: id, name: "other", token: state.token)
      }
    }

    private func exchange(_ user: Visitor, within milliseconds: Int) throws -> Visitor {
      let isFirst = try change { state in
        let sender = state.senders?[user.token]
        if let sender { state.reuses = (state.reuses ?? []) + [sender] }
        if sender == nil { state.senders = (state.senders ?? [:]).merging([user.token: getpid()]) { $1 } }
        return sender == nil
      }
      guard isFirst else { throw AuthRejection(reason: "\(user.token) was used before") }
      // A server that takes its time, in which the process may be killed.
      usleep(UInt32.random(in: 0...UInt32(milliseconds)) * 1000)
      return try change { state in
        state.token += 1
        state.renewals += 1
        return Visitor(id: user.id, name: user.name, token: state.token)
      }
    }

    func deauthenticate(_ user: Visitor) async throws {
      hold("logout")
    }

    func migrate(_ data: Data, _ version: Int) throws -> Visitor? {
      hold("migrate")
      var user = try JSONDecoder().decode(Visitor.self, from: data)
      user.name = "migrated from \(version)"
      return user
    }

    private func change<Result>(_ body: (inout State) throws -> Result) throws -> Result {
      try DurableFile.withLock(on: url) {
        var state = State()
        do {
          state = try JSONDecoder().decode(State.self, from: DurableFile.read(url))
        } catch DurableFileError.notFound {
          // The first of all.
        }
        let result = try body(&state)
        try DurableFile.write(JSONEncoder().encode(state), to: url, durability: .process)
        return result
      }
    }

    private func hold(_ word: String) {
      if stopped.value == word {
        stopped.value = ""
        console.report("stopping \(word)")
        raise(SIGSTOP)
      }
      guard held.value == word else { return }
      console.report("holding \(word)")
      while true { sleep(60) }
    }
  }

  private let console: Console
  private var policy = SessionPolicy()
  private var context: StandardAppContext<Visitor>?
  private var server: Server?
  private var subscriptions: Set<SignalSubscription> = []

  init(console: Console) {
    self.console = console
  }

  func perform(_ command: Command) throws -> String? {
    guard command.word.hasPrefix("context-") else { return nil }
    switch command.word {
    case "context-open":
      let arguments = try command.arguments(2)
      let root = URL(filePath: arguments[0])
      server = Server(url: root.appending(path: "server.json"), console: console)
      let file = root.appending(path: "session.json")
      context = try StandardAppContext(
        root: root,
        configuration: ContextConfiguration(
          archiveLocation: arguments[1] == "file" ? .file(file) : .database, policy: policy),
        storeVersions: StoreVersions(cacheVersion: 1, persistenceVersion: 1, models: [Item.self]))
    case "context-scope":
      let arguments = try command.arguments(2)
      server = Server(url: URL(filePath: arguments[1]), console: console)
      let app = try AppContainer(home: URL(filePath: arguments[0], directoryHint: .isDirectory))
      context = try StandardAppContext(
        scope: app.scope, configuration: ContextConfiguration(policy: policy),
        storeVersions: StoreVersions(cacheVersion: 1, persistenceVersion: 1, models: [Item.self]))
    case "context-version":
      Visitor.modelVersion = try command.number(command.argument())
      return ""
    case "context-policy":
      let arguments = try command.arguments(3)
      policy.lockTimeout = .milliseconds(try command.number(arguments[0]))
      policy.acceptsTokenReuse = arguments[1] == "repeats"
      policy.keepsSessions = arguments[2] == "keeps"
      return ""
    case "context-accounts":
      try opened().server.pause.value = command.number(command.argument())
      return ""
    case "context-put":
      let arguments = try command.arguments(2)
      let item = Item(id: try command.number(arguments[0]), text: arguments[1])
      try opened().context.current.value.store.persistence.write { try $0.put(item) }
      return ""
    case "context-follow":
      try follow(opened().context)
      return ""
    case "context-stop":
      try opened().server.stopped.value = command.argument()
      return ""
    case "context-hold":
      try opened().server.held.value = command.argument()
      return ""
    default: return try act(command)
    }
    return state()
  }

  private func act(_ command: Command) throws -> String? {
    let (context, server) = try opened()
    let named = ["context-login", "context-name", "context-replace", "context-reopen"]
    let argument = named.contains(command.word) ? try command.argument() : ""
    if argument != "", command.word == "context-login" { server.id.value = argument }
    let awaited = command.word == "context-await" ? try command.arguments(2) : []
    let word = command.word
    try wait {
      switch word {
      case "context-setup":
        try await context.setup(authDelegate: server) { [server] in try server.migrate($0, $1) }
      case "context-login": try await context.triggerLogin()
      case "context-renew": try await context.refreshAuthentication()
      case "context-valid": _ = try await context.validUser()
      case "context-logout": try await context.logout()
      case "context-leave": try await context.logout(keepingSession: true)
      case "context-reopen": try await context.reopen(userID: argument)
      case "context-replace":
        try await context.startAppContext(with: server.account(argument), replacing: true)
      case "context-name": try await context.update { $0.name = argument }
      case "context-expire": try await context.update { $0.expiration = Date(timeIntervalSince1970: 0) }
      case "context-await":
        for await status in context.status.values {
          if "\(status.authState)" == awaited[0], "\(status.user?.token ?? 0)" == awaited[1] { return }
        }
      case "context-state": break
      default: throw CommandError(description: "there is no command \(word)")
      }
    }
    return state()
  }

  private func follow(_ context: StandardAppContext<Visitor>) throws {
    let console = console
    context.query(Item.ordered { $0.id }).sink { items in
      console.report("items " + items.map(\.text).joined(separator: " "))
    }.store(in: &subscriptions)
    try context.current.value.store.persistence.changes.filter { $0.origin != .here }.sink { changes in
      let item = changes["item"]
      let keys = item.inserted.map { "\($0)" }.sorted().joined(separator: " ")
      console.report("changed " + (item.isEverything ? "everything" : keys))
    }.store(in: &subscriptions)
  }

  private func state() -> String {
    guard let status = context?.status.value else { return "" }
    let user = status.user.map { "\($0.id) \($0.token) \($0.name)" } ?? "nobody"
    return "\(status.authState) \(user)"
  }

  private func opened() throws -> (context: StandardAppContext<Visitor>, server: Server) {
    guard let context, let server else { throw CommandError(description: "no root is open") }
    return (context, server)
  }
}
