import Foundation
import Signals
import TestSupport
import Testing

@testable import Contexts

/// Two contexts of one root act as two processes: they share the files, the locks and the server, and nothing else.
@Suite("Random changes of users while calls wait", .seeded, .patient)
struct RandomUserChangeTests {
  @Test
  func `no token is sent twice, and each logout ends its own user, whatever users, stores and hooks do`() async throws {
    let totals = Guarded(JudgingServer.Totals())
    let isEffective = { totals.withLock { $0.renewals > 0 && $0.late > 0 && $0.logouts > 0 } }
    try await runRandomPrograms(seconds: 3, repetitions: 20, until: isEffective) { seed in
      let program = try RandomUserChanges(seed)
      let faults = try await program.run()
      let counts = program.server.totals
      totals.withLock { $0.add(counts) }
      let trail = program.trail.elements.suffix(60)
      for fault in faults { Issue.record("SIGNALS_SEED=\(seed): \(fault)\n\(trail)") }
      return faults.isEmpty
    }
    let found = totals.withLock { $0 }
    Scale.progress("\(found)")
    #expect(Scale.seed != nil || isEffective(), "\(found)")
  }
}

/// A server that gives each token once and accepts it once, and judges its clients.
private final class JudgingServer: AuthControllerDelegate {
  struct Totals: Sendable {
    var programs = 0, renewals = 0, late = 0, logouts = 0, failures = 0

    mutating func add(_ other: Totals) {
      programs += 1
      renewals += other.renewals
      late += other.late
      logouts += other.logouts
      failures += other.failures
    }
  }

  private struct State {
    var count = 0
    var used: Set<String> = []
    /// The numbers of logouts that the application requested and that the server was notified of.
    var requested: [String: Int] = [:]
    var ended: [String: Int] = [:]
    var faults: [String] = []
    var totals = Totals()
    var chance: Chance
    var current: String?
  }

  private let state: Guarded<State>

  init(_ seed: UInt64) {
    state = Guarded(State(chance: Chance(seed: seed)))
  }

  var totals: Totals { state.withLock { $0.totals } }
  var faults: [String] { state.withLock { $0.faults } }

  /// Logs a user in.
  func account(_ id: String) -> Account {
    state.withLock { state in
      state.count += 1
      return Account(id: id, token: "\(id) \(state.count)")
    }
  }

  func logoutBegins(of id: String) {
    state.withLock { state in
      state.requested[id, default: 0] += 1
      state.totals.logouts += 1
    }
  }

  func isLogoutRequested(of id: String) -> Bool { state.withLock { $0.requested[id] != nil } }

  func changed(to id: String?) { state.withLock { $0.current = id } }

  func pause(upTo milliseconds: Int) async {
    let number = state.withLock { $0.chance.number(below: milliseconds + 1) }
    _ = await Task { try await Task.sleep(for: .milliseconds(number)) }.result
  }

  func authenticate() async throws -> Account {
    await pause(upTo: 5)
    return account("ada")
  }

  func shouldRefreshAuthentication(with user: Account, isStartup: Bool) -> Bool {
    state.withLock { $0.chance.once(in: 2) }
  }

  func refreshAuthentication(with user: Account) async throws -> Account {
    await pause(upTo: 5)
    let isReachable = state.withLock { state in
      if state.chance.once(in: 8) { return false }
      if !state.used.insert(user.token).inserted { state.faults.append("\(user.token) was sent twice") }
      state.totals.renewals += 1
      return true
    }
    guard isReachable else {
      state.withLock { $0.totals.failures += 1 }
      throw URLError(.timedOut)
    }
    await pause(upTo: 40)
    if state.withLock({ $0.current != user.id }) { state.withLock { $0.totals.late += 1 } }
    var next = account(user.id)
    next.name = user.name
    return next
  }

  func deauthenticate(_ user: Account) async throws {
    state.withLock { state in
      state.ended[user.id, default: 0] += 1
      if state.ended[user.id, default: 0] > state.requested[user.id, default: 0] {
        state.faults.append("\(user.id) was logged out, but only \(state.requested) were to be")
      }
    }
  }
}

private final class RandomUserChanges: Sendable {
  private static let names = ["ada", "grace", "linus"]

  let server: JudgingServer
  let trail = Recorder<String>()
  private let seed: UInt64
  private let root: Root
  private let secrets = FlakySecretStore()
  private let contexts: [StandardAppContext<Account>]
  private let started = Guarded<Set<String>>([])

  init(_ seed: UInt64) throws {
    self.seed = seed
    server = JudgingServer(seed)
    root = try Root()
    let policy = SessionPolicy(
      retry: .constant(.milliseconds(30)), lockTimeout: .milliseconds(15), keepsSessions: true)
    let configuration = ContextConfiguration(secrets: secrets, policy: policy)
    let directory = root.directory.url
    contexts = try (0..<2).map { _ in try StandardAppContext<Account>(root: directory, configuration: configuration) }
  }

  /// Runs the program, and returns the faults that the server and the archive show.
  func run() async throws -> [String] {
    let hooks = contexts.map { context in
      context.addHook(
        SessionHook(
          afterLogin: { [server] in server.changed(to: $0.id) },
          beforeLogout: { [server] user in
            server.logoutBegins(of: user.id)
            await server.pause(upTo: 20)
          },
          afterLogout: { [server] _ in server.changed(to: nil) }))
    }
    for context in contexts { try await context.setup(authDelegate: server) }
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask { [self] in
          var chance = Chance(seed: seed &* 31 &+ UInt64(task))
          for _ in 0..<12 {
            await act(contexts[task % 2], &chance)
            await server.pause(upTo: 8)
          }
        }
      }
    }
    secrets.fails = false
    let losses = await settle()
    withExtendedLifetime(hooks) {}
    return server.faults + losses
  }

  private func act(_ context: StandardAppContext<Account>, _ chance: inout Chance) async {
    let id = Self.names[chance.number(below: 3)]
    let number = chance.number(below: 14)
    do {
      switch number {
      case 0, 1:
        trail.record("start \(id)")
        try await context.startAppContext(with: server.account(id), replacing: true)
        _ = started.withLock { $0.insert(id) }
      case 2:
        trail.record("log in \(id)")
        try await context.startAppContext(replacing: true) { [server] in
          await server.pause(upTo: 10)
          return server.account(id)
        }
        _ = started.withLock { $0.insert(id) }
      case 3, 4, 5:
        trail.record("reopen \(id)")
        try await context.reopen(userID: id)
      case 6, 7, 8: try await context.refreshAuthentication(force: chance.once(in: 2))
      case 9: _ = try await context.validUser()
      case 10: try await context.update { $0.name += "!" }
      case 11: try await context.logout(keepingSession: true)
      case 12:
        trail.record("log out")
        try await context.logout()
      default:
        secrets.fails.toggle()
        trail.record("secrets fail: \(secrets.fails)")
      }
    } catch {
      trail.record("\(number): \(error)")
    }
  }

  /// Opens and renews every session that must be left, as a user would after everything else has ended.
  private func settle() async -> [String] {
    var losses: [String] = []
    for id in Self.names where started.withLock({ $0.contains(id) }) && !server.isLogoutRequested(of: id) {
      var last = ""
      for _ in 0..<400 {
        last = await opened(id)
        if last.isEmpty || !server.faults.isEmpty { break }
        await server.pause(upTo: 20)
      }
      if !last.isEmpty { losses.append("the session of \(id) is lost: \(last)") }
    }
    return losses
  }

  private func opened(_ id: String) async -> String {
    do {
      if contexts[0].user.value?.id != id { try await contexts[0].reopen(userID: id) }
      let user = try await contexts[0].refreshAuthentication(force: true)
      return user.id == id ? "" : "it is \(user.id)'s"
    } catch {
      return "\(error)"
    }
  }
}
