import Foundation
import Signals
import TestSupport
import Testing

@testable import Contexts

/// Users change while a call of the previous user waits for the server, a hook or the queue of the context.
@Suite("Changes of users while calls wait", .patient)
struct UserChangeTests {
  let root: Root
  let grace = Account(id: "grace", name: "Grace", token: "g0")

  init() throws {
    root = try Root()
  }

  private func open(
    keeps: Bool = true, secrets: (any SecretStore)? = nil, retry: Backoff = .constant(.seconds(3600)),
    _ delegate: TestDelegate
  ) async throws -> StandardAppContext<Account> {
    let policy = SessionPolicy(retry: retry, lockTimeout: .milliseconds(50), keepsSessions: keeps)
    let context = try StandardAppContext<Account>(
      root: root.directory.url, configuration: ContextConfiguration(secrets: secrets, policy: policy))
    try await context.setup(authDelegate: delegate)
    return context
  }

  /// Returns a delegate of a server that accepts each token once, and whose answer for one token waits for a gate.
  private func delegate(holding token: String, _ gate: Gate, trusts: Bool = true) -> TestDelegate {
    let used = Guarded<Set<String>>([])
    return TestDelegate(
      trusts: trusts,
      renew: { account in
        guard used.withLock({ $0.insert(account.token).inserted }) else {
          throw AuthRejection(reason: "\(account.token) was used before")
        }
        if account.token == token { try await gate.pass() }
        var account = account
        account.token += "+"
        return account
      })
  }

  private func spent(_ delegate: TestDelegate) -> [String] {
    delegate.calls.elements.filter { $0.hasPrefix("renew") }
  }

  // MARK: Renewals

  @Test
  func `a token in use is not sent again after another user was renewed and the first one reopened`() async throws {
    let gate = Gate()
    let delegate = delegate(holding: "t0", gate)
    let context = try await open(delegate)
    try await context.startAppContext(with: Account())
    let renewal = Task { try await context.refreshAuthentication() }
    try await delegate.calls.wait(for: "renew t0")
    try await context.startAppContext(with: grace, replacing: true)
    await #expect(throws: ContextError.sessionEnded) { try await renewal.value }
    #expect(try await context.refreshAuthentication().token == "g0+", "another user's renewal does not wait")
    try await context.reopen(userID: "ada")
    await #expect(throws: ContextError.refreshBlocked(processID: getpid())) {
      try await context.refreshAuthentication()
    }
    #expect(spent(delegate) == ["renew t0", "renew g0"])
    gate.open()
    try await context.user.firstValue("the late answer") { $0?.token == "t0+" }
    #expect(try await context.refreshAuthentication().token == "t0++")
    #expect(spent(delegate) == ["renew t0", "renew g0", "renew t0+"])
  }

  @Test
  func `a renewal is archived although its context was released before the answer`() async throws {
    let gate = Gate()
    let delegate = delegate(holding: "t0", gate)
    do {
      let context = try await open(delegate)
      try await context.startAppContext(with: Account())
      let renewal = Task { [context] in try await context.refreshAuthentication() }
      try await delegate.calls.wait(for: "renew t0")
      renewal.cancel()
      _ = await renewal.result
    }
    let context = try await open(delegate)
    #expect(context.user.value?.token == "t0")
    gate.open()
    try await context.user.firstValue("the answer") { $0?.token == "t0+" }
    #expect(spent(delegate) == ["renew t0"])
  }

  @Test
  func `a renewal is archived although its context was released while a hook delayed the request`() async throws {
    let (delegate, began, gate) = (TestDelegate(trusts: true), Gate(), Gate())
    do {
      let context = try await open(delegate)
      try await context.startAppContext(with: Account())
      let hook = context.addHook(
        SessionHook(beforeRenewal: { _ in
          began.open()
          gate.block()
        }))
      let renewal = Task { [context] in try await context.refreshAuthentication() }
      try await began.pass()
      renewal.cancel()
      _ = await renewal.result
      withExtendedLifetime(hook) {}
    }
    gate.open()
    let context = try await open(delegate)
    try await context.user.firstValue("the answer") { $0?.token == "t0+" }
    #expect(spent(delegate) == ["renew t0"])
  }

  @Test
  func `a late answer that cannot be stored is reported, repeated and used by a reopening`() async throws {
    let gate = Gate()
    let (delegate, secrets) = (delegate(holding: "t0", gate), FlakySecretStore())
    let context = try await open(secrets: secrets, delegate)
    try await context.startAppContext(with: Account())
    let renewal = Task { try await context.refreshAuthentication() }
    try await delegate.calls.wait(for: "renew t0")
    try await context.startAppContext(with: grace, replacing: true)
    _ = await renewal.result
    secrets.fails = true
    gate.open()
    try await context.lastError.firstValue("the failure") { $0 != nil }
    await #expect(throws: ContextError.self) { try await context.reopen(userID: "ada") }
    #expect(context.user.value?.id == "grace")
    secrets.fails = false
    try await context.reopen(userID: "ada")
    #expect(context.user.value?.token == "t0+")
    #expect(context.lastError.value == nil)
    #expect(try await context.refreshAuthentication().token == "t0++")
    #expect(spent(delegate) == ["renew t0", "renew t0+"])
  }

  // MARK: Logouts

  /// Logs Ada out, and lets something happen while a hook of the logout waits.
  private func logOut(
    _ context: StandardAppContext<Account>, keepingSession: Bool = false,
    meanwhile body: (StandardAppContext<Account>) async throws -> Void
  ) async throws -> Result<Void, any Error> {
    let (began, gate) = (Recorder<String>(), Gate())
    let hook = context.addHook(
      SessionHook(beforeLogout: { user in
        // Only the first logout waits.
        guard began.elements.isEmpty else { return }
        began.record(user.id)
        do { try await gate.pass() } catch { began.record("\(error)") }
      }))
    let logout = Task { try await context.logout(keepingSession: keepingSession) }
    try await began.wait(for: "ada")
    try await body(context)
    gate.open()
    let result = await logout.result
    hook.cancel()
    return result
  }

  @Test
  func `a logout whose hook waits ends the kept session of its own user, and not that of the next one`() async throws {
    let delegate = TestDelegate(trusts: true)
    let context = try await open(delegate)
    try await context.startAppContext(with: Account())
    let grace = grace
    try await logOut(context) { try await $0.startAppContext(with: grace, replacing: true) }.get()
    #expect(context.user.value == grace && context.authState.value == .authenticated)
    await #expect(throws: ContextError.noSession(userID: "ada")) { try await context.reopen(userID: "ada") }
    #expect(delegate.calls.elements.filter { $0.hasPrefix("leave") } == ["leave t0"], "the server was notified")
    #expect(try FileSecretStore(directory: root.directory.file("secrets")).keys().count == 1)
  }

  @Test
  func `a logout whose user was replaced without keeping the session leaves the next user alone`() async throws {
    let delegate = TestDelegate(trusts: true)
    let context = try await open(keeps: false, delegate)
    try await context.startAppContext(with: Account())
    let grace = grace
    let result = try await logOut(context) { try await $0.startAppContext(with: grace, replacing: true) }
    #expect(throws: ContextError.sessionEnded) { try result.get() }
    #expect(context.user.value == grace)
    #expect(delegate.calls.elements.filter { $0.hasPrefix("leave") } == [])
  }

  @Test
  func `a logout does not end a login of the same user that came after it`() async throws {
    let delegate = TestDelegate(trusts: true)
    let context = try await open(keeps: false, delegate)
    try await context.startAppContext(with: Account())
    let result = try await logOut(context) {
      try await $0.startAppContext(with: Account(token: "n0"), replacing: true)
    }
    #expect(throws: ContextError.sessionEnded) { try result.get() }
    #expect(context.user.value?.token == "n0")
  }

  @Test
  func `a logout of a user who left and was reopened meanwhile logs that user out`() async throws {
    let delegate = TestDelegate(trusts: true)
    let context = try await open(delegate)
    try await context.startAppContext(with: Account())
    let grace = grace
    try await logOut(context) {
      try await $0.startAppContext(with: grace, replacing: true)
      try await $0.reopen(userID: "ada")
    }.get()
    #expect(context.user.value == nil)
    await #expect(throws: ContextError.noSession(userID: "ada")) { try await context.reopen(userID: "ada") }
    try await context.reopen(userID: "grace")
  }

  @Test
  func `a user who leaves while another one follows is kept, and the other one stays`() async throws {
    let delegate = TestDelegate(trusts: true)
    let context = try await open(delegate)
    try await context.startAppContext(with: Account())
    let grace = grace
    try await logOut(context, keepingSession: true) {
      try await $0.startAppContext(with: grace, replacing: true)
    }.get()
    #expect(context.user.value == grace)
    try await context.reopen(userID: "ada")
  }

  @Test
  func `a logout whose hook waits does not end the login that began meanwhile`() async throws {
    let (gate, grace) = (Gate(), grace)
    let delegate = TestDelegate(
      trusts: true,
      login: {
        try await gate.pass()
        return grace
      })
    let context = try await open(delegate)
    try await context.startAppContext(with: Account())
    let login = MutableProperty<Task<Account, any Error>?>(nil)
    try await logOut(context) { context in
      try await context.logout(keepingSession: true)
      login.value = Task { try await context.triggerLogin() }
      try await context.activity.firstValue("the login") { $0 == .authenticating }
    }.get()
    gate.open()
    #expect(try await login.value?.value == grace)
    await #expect(throws: ContextError.noSession(userID: "ada")) { try await context.reopen(userID: "ada") }
  }

  // MARK: The queue

  /// Lets the queue of the context wait, replaces Ada by Grace, and performs a call while Ada is still shown.
  private func call(
    _ body: @escaping @Sendable (StandardAppContext<Account>) async throws -> Void
  ) async throws -> (Result<Void, any Error>, StandardAppContext<Account>) {
    let delegate = TestDelegate(trusts: true)
    let context = try await open(delegate)
    try await context.startAppContext(with: Account())
    let (began, gate, grace) = (MutableProperty(0), Gate(), grace)
    let hook = context.addHook(
      SessionHook(beforeRenewal: { user in
        guard user.id == "ada" else { return }
        began.modify { $0 += 1 }
        gate.block()
      }))
    let renewal = Task { try await context.refreshAuthentication() }
    try await began.firstValue("the hook") { $0 == 1 }
    let thread = SerialTaskExecutor()
    let start = Task(executorPreference: thread) { try await context.startAppContext(with: grace, replacing: true) }
    try await context.engine.waitForCalls(2)
    // The call has been noted, and now it is in the queue, too.
    thread.queue.sync {}
    let call = Task { try await body(context) }
    try await context.engine.waitForCalls(3)
    gate.open()
    let result = await call.result
    _ = try await start.value
    _ = await renewal.result
    hook.cancel()
    return (result, context)
  }

  @Test
  func `a change that was made for the user shown is not applied to the next one`() async throws {
    let (result, context) = try await call { try await $0.update { $0.name = "Countess of Lovelace" } }
    #expect(throws: ContextError.sessionEnded) { try result.get() }
    #expect(context.user.value?.name == "Grace")
  }

  @Test
  func `a request for the valid user shown does not get the next one's token`() async throws {
    let (result, _) = try await call { _ = try await $0.validUser() }
    #expect(throws: ContextError.sessionEnded) { try result.get() }
  }

  @Test
  func `a renewal for the user shown does not renew the next one`() async throws {
    let (result, context) = try await call { try await $0.refreshAuthentication() }
    #expect(throws: ContextError.sessionEnded) { try result.get() }
    #expect(context.user.value?.token == "g0")
  }

  @Test
  func `a logout that waits for the queue ends the session of the user who was shown`() async throws {
    let (result, context) = try await call { try await $0.logout() }
    try result.get()
    #expect(context.user.value?.id == "grace")
    await #expect(throws: ContextError.noSession(userID: "ada")) { try await context.reopen(userID: "ada") }
  }
}

/// Runs the parts of tasks one at a time.
private final class SerialTaskExecutor: TaskExecutor {
  let queue = DispatchQueue(label: "org.signals.test")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

extension SessionEngine {
  /// Waits until a number of calls have been made that are not answered yet.
  func waitForCalls(_ count: Int) async throws {
    while calls.withLock({ $0.replies.count }) < count { await Task.yield() }
  }
}
