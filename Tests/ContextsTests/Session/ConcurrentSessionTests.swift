import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

@testable import Contexts

@Suite("Concurrent requests for a session")
struct ConcurrentSessionTests {
  let root: Root

  init() throws {
    root = try Root()
  }

  @Test
  func `a thousand tasks that request a valid session wait for one renewal`() async throws {
    let context = try root.context()
    let gate = Gate()
    let delegate = TestDelegate(renew: { account in
      try await gate.pass()
      return Account(id: account.id, token: "new", expiration: Date(timeIntervalSinceNow: 3600))
    })
    try await context.setup(authDelegate: delegate)
    try await context.startAppContext(with: Account(expiration: Date(timeIntervalSinceNow: -1)))
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<1000 { group.addTask { try await context.validUser().token } }
      try await delegate.calls.wait(for: "renew t0")
      gate.open()
      for try await token in group { #expect(token == "new") }
    }
    #expect(delegate.calls.elements == ["renew t0"])
  }

  @Test
  func `announcing an older revision after a newer one is still a change`() throws {
    let bell = try AppGroupsFile(
      name: "revision.json", initialValue: 0, container: AppGroupsContainer(directory: root.directory.url))
    StandardAppContext<Account>.ring(bell, 6)
    #expect(bell.value == 6)
    StandardAppContext<Account>.ring(bell, 5)
    #expect(bell.value == 7)
  }

  @Test(arguments: ["", "garbage", "\(Int.max)"])
  func `a bell that is damaged or at its maximum still rings`(content: String) throws {
    let file = root.directory.file("Files/revision.json")
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(content.utf8).write(to: file)
    let bell = try AppGroupsFile(
      name: "revision.json", initialValue: 0, container: AppGroupsContainer(directory: root.directory.url))
    StandardAppContext<Account>.ring(bell, 6)
    #expect(bell.value == 6)
    #expect(try bell.read() == 6)
  }

  @Test
  func `a cancelled task stops waiting, and the renewal continues and is archived`() async throws {
    let gate = Gate()
    let delegate = TestDelegate(renew: { account in
      try await gate.pass()
      return Account(id: account.id, token: "new")
    })
    do {
      let context = try root.context()
      try await context.setup(authDelegate: delegate)
      try await context.startAppContext(with: Account())
      let cancelled = Task { try await context.refreshAuthentication() }
      try await delegate.calls.wait(for: "renew t0")
      let patient = Task { try await context.refreshAuthentication() }
      cancelled.cancel()
      await #expect(throws: CancellationError.self) { try await cancelled.value }
      patient.cancel()
      await #expect(throws: CancellationError.self) { try await patient.value }
      gate.open()
      try await context.user.firstValue("the new session") { $0?.token == "new" }
    }
    let next = try root.context()
    let trusting = TestDelegate(trusts: true)
    #expect(try await next.setup(authDelegate: trusting)?.token == "new")
  }

  @Test
  func `two contexts of one root in one process renew once, and follow each other`() async throws {
    let gate = Gate()
    let delegate = TestDelegate(
      trusts: true,
      renew: { account in
        try await gate.pass()
        return Account(id: account.id, token: account.token + "+", expiration: Date(timeIntervalSinceNow: 3600))
      })
    let first = try root.context()
    let second = try root.context()
    try await first.setup(authDelegate: delegate)
    try await first.startAppContext(with: Account())
    try await second.setup(authDelegate: delegate)
    try await second.authState.firstValue("the restored session") { $0 == .authenticated }
    let other = Task { try await second.refreshAuthentication().token }
    let one = Task { try await first.refreshAuthentication().token }
    try await first.activity.firstValue("the first renewal") { $0 == .refreshing }
    try await second.activity.firstValue("the second renewal") { $0 == .refreshing }
    gate.open()
    #expect(try await [one.value, other.value] == ["t0+", "t0+"])
    #expect(delegate.calls.elements.filter { $0.hasPrefix("renew") } == ["renew t0"])
    try await second.logout()
    try await first.authState.firstValue("the logout") { $0 == .unauthenticated }
    #expect(first.lastError.value == .endedElsewhere)
  }

  @Test
  func `a late subscriber receives the state at once, and derived values are consistent`() async throws {
    let context = try root.context()
    let delegate = TestDelegate()
    let mixed = Recorder<String>()
    let together = Property.derived(context.authState, context.current.map(\.isStandard).property(initial: true)) {
      "\($0) \($1)"
    }
    let subscription = together.sink { mixed.record($0) }
    try await context.setup(authDelegate: delegate)
    try await context.triggerLogin()
    #expect(context.authState.recorded().elements == [.authenticated])
    try await context.logout()
    subscription.cancel()
    #expect(
      mixed.elements == ["restoring true", "unauthenticated true", "authenticated false", "unauthenticated true"])
  }
}
