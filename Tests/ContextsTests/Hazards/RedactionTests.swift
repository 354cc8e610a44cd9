import Foundation
import Signals
import TestSupport
import Testing

@testable import Contexts

@Suite("Redaction in descriptions of a session")
struct RedactionTests {
  let root: Root

  init() throws {
    root = try Root()
  }

  /// Everything that a log or a debugger would show of a value.
  private func shown(_ value: some Any) -> String {
    var text = "\(value) " + String(describing: value) + String(reflecting: value)
    dump(value, to: &text)
    return text
  }

  @Test
  func `no description or dump of a session shows a token, whether a plain property or a secret`() async throws {
    let context = try StandardAppContext<OpenAccount>(root: root.directory.url)
    let server = OpenServer()
    try await context.setup(authDelegate: server)
    try await context.triggerLogin()
    try await context.historyUsers.firstValue("the history") { !$0.isEmpty }
    #expect(context.user.value?.token == OpenServer.token)
    for text in [
      shown(context), shown(context.status.value), shown(context.current.value), shown(context.historyUsers.value),
      shown(context.status), shown(context.user), shown(context.current), shown(context.authController),
      shown(context.user.value as Any), shown(context.engine), shown(context.engine.machine),
    ] {
      #expect(!text.contains(OpenServer.token), "\(text)")
    }
    #expect(shown(context.status.value).contains("ada"))
    #expect(shown(context.status.value).contains("authenticated"))
  }

  @Test
  func `an in-memory store of secrets does not show them`() {
    let secrets = MemorySecretStore()
    secrets.write(Data(OpenServer.token.utf8), forKey: "session-1")
    // As numbers, which is how data is dumped.
    #expect(!shown(secrets).contains("- 84\n"))
    #expect(!shown(secrets).contains(OpenServer.token))
  }

  @Test
  func `errors do not show the text of a server's failure`() async throws {
    struct Refusal: Error {
      let body = "TopSecret is used up"
    }
    let context = try root.context()
    let delegate = TestDelegate(
      login: { throw Refusal() },
      renew: { account in
        if account.name == "Ada" { throw Refusal() }
        throw AuthRejection(reason: "TopSecret is revoked", status: 401)
      },
      leave: { _ in throw Refusal() })
    try await context.setup(authDelegate: delegate)
    var errors: [any Error] = []
    func record(_ body: () async throws -> Void) async {
      do { try await body() } catch { errors.append(error) }
      if let error = context.lastError.value { errors.append(error) }
    }
    await record { try await context.triggerLogin() }
    try await context.startAppContext(with: Account())
    await record { try await context.refreshAuthentication() }
    await record { try await context.logout() }
    try await context.startAppContext(with: Account(name: "Eve"))
    await record { try await context.refreshAuthentication() }
    #expect(errors.count == 7)
    for error in errors + [AuthRejection(reason: "TopSecret is revoked")] {
      #expect(!shown(error).contains("TopSecret"), "\(error)")
      #expect(!error.localizedDescription.contains("TopSecret"))
    }
    guard case .rejected(let failure) = errors.last as? ContextError else {
      Issue.record("\(errors)")
      return
    }
    #expect(failure.kind == "AuthRejection")
    #expect(failure.status == 401)
    #expect(failure.text == "TopSecret is revoked")
  }

  @Test
  func `errors show the kind and the status of a failure`() {
    #expect("\(ServerFailure(URLError(.notConnectedToInternet)))" == "URLError -1009")
    #expect("\(ServerFailure(AuthRejection(reason: "no", status: 400)))" == "AuthRejection 400")
    #expect("\(ServerFailure(CancellationError()))" == "CancellationError")
  }
}
