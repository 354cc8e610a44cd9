import AppGroups
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@testable import Contexts

/// The environment is switched while a call waits for the application, a hook or the queue of the context.
@Suite("Switches of environments while calls wait", .patient)
struct EnvironmentChangeTests {
  private let directory: TemporaryDirectory
  private let scope: Scope
  private let owner = Owner()
  private let delegate = TestDelegate(trusts: true)
  private let context: StandardAppContext<Account>

  private final class Owner: ScopeOwner {
    /// Held by whoever uses the archive or switches, as the lock of an environment's owner is.
    let turn = NSRecursiveLock()

    var mark: FileStamp? { nil }
    var hasFollowed: Bool { true }
    func keepsInPlace(_ path: String) -> Bool { false }
    func steadily<Result>(_ body: () throws -> Result) throws -> Result { try turn.withLock(body) }
    func follow() { turn.withLock {} }
  }

  init() async throws {
    directory = try TemporaryDirectory()
    let home = directory.file("home")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: false)
    scope = Scope(root: home)
    scope.setOwner(owner)
    context = try StandardAppContext<Account>(
      scope: scope, configuration: ContextConfiguration(policy: SessionPolicy(keepsSessions: true)))
    try await context.setup(authDelegate: delegate)
  }

  /// Puts the contents of the home away, and those of another environment in their place.
  private func change(from old: String, to new: String) async throws {
    let (scope, turn, home, directory) = (scope, owner.turn, scope.root, directory.url)
    try await onThread {
      let changes = ScopeChanges()
      defer { changes.send() }
      try turn.withLock {
        try scope.switchContents(into: changes) {
          try FileManager.default.moveItem(at: home, to: directory.appending(path: old))
          let other = directory.appending(path: new)
          if FileManager.default.fileExists(atPath: other.path) {
            try FileManager.default.moveItem(at: other, to: home)
          } else {
            try FileManager.default.createDirectory(
              at: home.appending(path: "Session"), withIntermediateDirectories: true)
          }
        }
      }
    }
  }

  private func isFailure(_ result: Result<some Any, any Error>) -> Bool {
    if case .failure(ContextError.environmentSwitched) = result { return true }
    return false
  }

  /// Logs users in to both environments, and returns in the first one.
  private func signIn(_ first: [String], _ second: [String]) async throws {
    for id in first { try await context.startAppContext(with: Account(id: id, token: "\(id) 1"), replacing: true) }
    try await change(from: "1", to: "2")
    for id in second { try await context.startAppContext(with: Account(id: id, token: "\(id) 2"), replacing: true) }
    try await change(from: "2", to: "1")
    #expect(context.user.value?.id == first.last)
  }

  @Test
  func `a user who was authenticated in one environment is not logged in to another`() async throws {
    try await signIn(["ada"], ["grace"])
    await #expect(throws: ContextError.environmentSwitched) {
      try await context.startAppContext(replacing: true) {
        try await change(from: "1", to: "2")
        return Account(id: "linus")
      }
    }
    #expect(context.user.value?.id == "grace")
    // A switch there and back is a switch, too.
    await #expect(throws: ContextError.environmentSwitched) {
      try await context.startAppContext(replacing: true) {
        try await change(from: "2", to: "1")
        try await change(from: "1", to: "2")
        return Account(id: "linus")
      }
    }
    #expect(context.user.value?.id == "grace")
    try await context.startAppContext(replacing: true) { Account(id: "linus") }
    #expect(context.user.value?.id == "linus")
  }

  @Test
  func `a user who was authenticated to replace one does not replace the next one`() async throws {
    try await context.startAppContext(with: Account())
    await #expect(throws: ContextError.sessionEnded) {
      try await context.startAppContext(replacing: true) {
        try await context.startAppContext(with: Account(id: "grace"), replacing: true)
        return Account(id: "linus")
      }
    }
    #expect(context.user.value?.id == "grace")
    await #expect(throws: ContextError.alreadyAuthenticated(userID: "grace")) {
      try await context.startAppContext { Account(id: "linus") }
    }
    await #expect(throws: AuthRejection(reason: "wrong password")) {
      try await context.startAppContext(replacing: true) { throw AuthRejection(reason: "wrong password") }
    }
  }

  @Test
  func `a logout whose hook waits during a switch logs no user of the new environment out`() async throws {
    try await signIn(["ada"], ["grace"])
    let (began, gate) = (Recorder<String>(), Gate())
    let hook = context.addHook(
      SessionHook(beforeLogout: { user in
        began.record(user.id)
        do { try await gate.pass() } catch { began.record("\(error)") }
      }))
    let logout = Task { try await context.logout() }
    try await began.wait(for: "ada")
    try await change(from: "1", to: "2")
    gate.open()
    let result = await logout.result
    #expect(isFailure(result))
    #expect(context.user.value?.id == "grace")
    try await change(from: "2", to: "1")
    #expect(context.user.value?.id == "ada")
    hook.cancel()
  }

  @Test
  func `a removal of a known user that waits during a switch removes no user of the new environment`() async throws {
    try await signIn(["grace", "ada"], ["grace", "linus"])
    let (began, gate) = (MutableProperty(false), Gate())
    let hook = context.addHook(
      SessionHook(beforeRenewal: { _ in
        began.value = true
        gate.block()
      }))
    let renewal = Task { try await context.refreshAuthentication() }
    try await began.firstValue("the hook") { $0 }
    let caller = Caller()
    let purge = Task { try await caller.call { try await context.purge(userID: "grace") } }
    let clean = Task { try await caller.call { _ = try await context.cleanHistoryUserList() } }
    try await caller.calls.wait(for: "both calls") { $0.count == 2 }
    // The actor is free again only when both calls wait for the queue.
    await caller.rest()
    try await change(from: "1", to: "2")
    gate.open()
    let results = (await purge.result, await clean.result)
    #expect(isFailure(results.0) && isFailure(results.1))
    _ = await renewal.result
    hook.cancel()
    try await context.reopen(userID: "grace")
    #expect(context.user.value?.token == "grace 2")
    try await change(from: "2", to: "1")
    try await context.reopen(userID: "grace")
    #expect(context.user.value?.token == "grace 1")
  }
}

/// An actor that makes calls, and is free while they wait.
private actor Caller {
  nonisolated let calls = Recorder<String>()

  func call(_ body: () async throws -> Void) async throws {
    calls.record("call")
    try await body()
  }

  func rest() {}
}
