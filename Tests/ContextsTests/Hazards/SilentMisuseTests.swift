import Foundation
import Signals
import Stores
import TestSupport
import Testing

@testable import Contexts

/// Mistakes in a program that would otherwise go unnoticed.
@Suite("Mistakes in the use of sessions")
struct SilentMisuseTests {
  let root: Root

  init() throws {
    root = try Root()
  }

  @Test
  func `setting a delegate again repeats a renewal that failed without one`() async throws {
    let context = try root.context()
    try await context.setup(authDelegate: TestDelegate())
    try await context.startAppContext(with: Account())
    await #expect(throws: ContextError.noDelegate(operation: "renew the session")) {
      try await context.refreshAuthentication()
    }
    let delegate = TestDelegate()
    try await context.setup(authDelegate: delegate)
    try await context.user.firstValue("the renewed session") { $0?.token == "t0+" }
    #expect(context.lastError.value == nil)
  }

  @Test
  func `a login returns the user's context, or throws if the session has already ended`() async throws {
    let context = try root.context()
    let delegate = NobodysDelegate<Account>()
    try await context.setup(authDelegate: delegate)
    // The logout is requested before the caller receives the context.
    let subscription = context.current.sink { [engine = context.engine] in
      if !$0.isStandard { engine.ask(SessionEvent.logout) { _ in } }
    }
    for round in 1...Scale.count(30, torture: 1000) {
      do {
        #expect(try await context.startAppContext(with: Account(id: "ada\(round)")).id == "ada\(round)")
      } catch ContextError.sessionEnded {
        // The logout was faster.
      }
      try await context.activity.firstValue("the end of the logout") { $0 == .idle }
      try await context.current.firstValue("nobody") { $0.isStandard }
    }
    subscription.cancel()
  }

  @Test
  func `properties and queries keep the session alive after the context is released`() async throws {
    let delegate = TestDelegate(trusts: true)
    let gone = Recorder<String>()
    do {
      let (users, states) = try await { () async throws in
        let context = try root.context(secrets: Witness(gone))
        try await context.setup(authDelegate: delegate)
        return (context.user, context.query(Item.ordered { $0.id }))
      }()
      let other = try root.context(secrets: Witness(Recorder()))
      try await other.setup(authDelegate: delegate)
      try await other.startAppContext(with: Account(token: ""))
      try await users.firstValue("the other's login") { $0?.id == "ada" }
      #expect(gone.elements.isEmpty)
      withExtendedLifetime(states) {}
    }
    try await gone.wait(for: "gone")
  }

  /// A store without secrets that records its deinitialization.
  private final class Witness: SecretStore {
    private let gone: Recorder<String>

    init(_ gone: Recorder<String>) { self.gone = gone }
    deinit { gone.record("gone") }
    func read(forKey key: String) -> Data? { nil }
    func write(_ secret: Data, forKey key: String) {}
    func remove(forKey key: String) {}
    func keys() -> [String] { [] }
  }

  @Test
  func `an invalid policy is rejected, such as retries without a delay`() throws {
    let mistakes: [(inout SessionPolicy) -> Void] = [
      { $0.retry = .constant(.zero) }, { $0.retry = .exponential(from: .zero, upTo: .seconds(1)) },
      { $0.renewalMargin = .seconds(-1) }, { $0.renewalMarginFraction = 1.5 }, { $0.renewalMarginFraction = .nan },
      { $0.lockTimeout = .zero },
    ]
    for mistake in mistakes {
      var policy = SessionPolicy()
      mistake(&policy)
      let error = #expect(throws: ContextError.self) {
        try StandardAppContext<Account>(root: root.directory.url, configuration: ContextConfiguration(policy: policy))
      }
      guard case .invalidPolicy = error else { throw try #require(error) }
    }
    _ = try StandardAppContext<Account>(
      root: root.directory.url,
      configuration: ContextConfiguration(policy: SessionPolicy(retry: .constant(.zero, limit: 3))))
  }
}
