import AppGroups
import Containers
import Contexts
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite("Known users in a root that is switched", .patient, .seeded)
struct KnownUsersInScopeTests {
  private let root: TemporaryDirectory
  private let app: AppContainer
  private let staging = AppContainer.Environment.defaultID
  private let production: UUID
  private let server: ScopedServer
  private let context: StandardAppContext<ScopedAccount>

  init() async throws {
    root = try TemporaryDirectory()
    app = try AppContainer(home: root.url.appending(path: "home", directoryHint: .isDirectory))
    production = try app.create(name: "Production").id
    server = ScopedServer(pause: { for _ in 0..<20 { await Task.yield() } })
    context = try StandardAppContext<ScopedAccount>(
      scope: app.scope, configuration: ContextConfiguration(policy: SessionPolicy(keepsSessions: true)))
    try await context.setup(authDelegate: server)
  }

  private func account(_ id: String, in environment: UUID, token: Int = 0) -> ScopedAccount {
    ScopedAccount(id: id, environment: environment.uuidString, token: token)
  }

  /// Logs users in, one after another, so that all of them are known.
  private func know(_ ids: [String], in environment: UUID) async throws {
    try await app.activate(id: environment)
    for id in ids { try await context.startAppContext(with: account(id, in: environment), replacing: true) }
  }

  private var known: [String] { context.historyUsers.value.filter(\.hasSession).map(\.id) }

  @Test func `a user is known only where the session was kept, and again after a switch back`() async throws {
    try await know(["ada", "grace"], in: staging)
    try await app.activate(id: production)
    #expect(context.historyUsers.value.isEmpty)
    for id in ["ada", "grace"] {
      await #expect(throws: ContextError.unknownUser(userID: id)) { try await context.reopen(userID: id) }
    }
    #expect(context.user.value == nil)
    try await context.startAppContext(with: account("linus", in: production))
    try await app.activate(id: staging)
    #expect(known == ["ada", "grace"] && context.user.value?.id == "grace")
    try await context.reopen(userID: "ada")
    #expect(try await context.validUser().environment == staging.uuidString)
    await #expect(throws: ContextError.unknownUser(userID: "linus")) { try await context.reopen(userID: "linus") }
  }

  @Test func `a user who is known in both environments has a session in each of them`() async throws {
    for (environment, token) in [(staging, 10), (production, 20)] {
      try await know(["grace"], in: environment)
      try await context.startAppContext(with: account("ada", in: environment, token: token), replacing: true)
      try await context.reopen(userID: "grace")
    }
    // The end of the session in one environment does not end the other one.
    try await context.reopen(userID: "ada")
    #expect(context.user.value == account("ada", in: production, token: 20))
    try await context.logout()
    await #expect(throws: ContextError.noSession(userID: "ada")) { try await context.reopen(userID: "ada") }
    try await app.activate(id: staging)
    try await context.reopen(userID: "ada")
    #expect(context.user.value == account("ada", in: staging, token: 10))
  }

  @Test func `hooks follow reopened users and switches in one order, and in pairs`() async throws {
    try await know(["linus"], in: production)
    try await know(["ada", "grace"], in: staging)
    let calls = Recorder<String>()
    let hooks = (1...2).map { number in
      context.addHook(
        SessionHook(
          afterLogin: { calls.record("+\($0.id) \(number)") }, afterLogout: { calls.record("-\($0.id) \(number)") }),
        order: number)
    }
    try await context.reopen(userID: "ada")
    try await app.activate(id: production)
    _ = try await calls.wait(for: "linus") { $0.last == "+linus 2" }
    try await context.logout(keepingSession: true)
    try await app.activate(id: staging)
    _ = try await calls.wait(for: "ada again") { $0.last == "+ada 2" }
    let expected = ["-grace", "+ada", "-ada", "+linus", "-linus", "+ada"].flatMap { step in
      step.hasPrefix("+") ? ["\(step) 1", "\(step) 2"] : ["\(step) 2", "\(step) 1"]
    }
    #expect(calls.elements == expected)
    for hook in hooks { hook.cancel() }
  }

  @Test func `a user is never reopened in another environment, whenever it is switched`() async throws {
    let ids = ["ada", "grace", "linus"]
    for environment in [production, staging] { try await know(ids, in: environment) }
    let mixed = Recorder<String>()
    let observation = Property.derived(context.user, app.active) { user, active in
      user.map { $0.environment == active.id.uuidString ? "" : "\($0) in \(active.name)" } ?? ""
    }.sink { if !$0.isEmpty { mixed.record($0) } }
    let hooked = Recorder<String>()
    let hook = context.addHook(
      SessionHook(
        afterLogin: { hooked.record("+\($0.id) \($0.environment)") },
        afterLogout: { hooked.record("-\($0.id) \($0.environment)") }))
    let unexpected = Recorder<String>()
    let reopened = MutableProperty(0)
    let isOver = MutableProperty(false)
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { isOver.value = true }
      for number in 0..<2 {
        group.addTask {
          var chance = Chance(seed: Chance.seed &+ UInt64(number))
          while !isOver.value {
            do {
              try await context.reopen(userID: ids[chance.number(below: 3)])
              reopened.modify { $0 += 1 }
              if chance.once(in: 4) { try await context.refreshAuthentication() }
            } catch ContextError.environmentSwitched, ContextError.sessionEnded, ContextError.alreadyAuthenticated {
              // The answer arrived too late, or the other task has reopened this user.
            } catch {
              unexpected.record("\(error)")
            }
          }
        }
      }
      for round in 1...Scale.count(50, torture: 1_000) {
        let count = reopened.value
        _ = try await reopened.firstValue("a reopened user") { $0 > count }
        try await app.activate(id: round % 2 == 1 ? production : staging)
      }
      isOver.value = true
      try await group.waitForAll()
    }
    #expect(unexpected.elements == [] && mixed.elements == [])
    for environment in [production, staging] {
      try await app.activate(id: environment)
      #expect(known == ids)
      for id in ids where id != context.user.value?.id { try await context.reopen(userID: id) }
      #expect(context.user.value?.environment == environment.uuidString)
    }
    // The first call is for the session that began before the hook was added.
    let calls = hooked.elements.dropFirst()
    for (begin, end) in zip(calls, calls.dropFirst()) where begin.hasPrefix("+") {
      #expect(end == "-" + begin.dropFirst())
    }
    withExtendedLifetime((observation, hook)) {}
  }
}
