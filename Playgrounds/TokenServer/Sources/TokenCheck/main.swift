// Has sessions with a real server, which does what servers do, and says what came of it.

import Contexts
import Foundation
import Signals
import TokenClient
import TokenServer

/// Says what is checked, and ends the program if it is not so.
func check(_ promise: String, _ isKept: Bool) {
  print(isKept ? "ok: \(promise)" : "broken: \(promise)")
  if !isKept { exit(1) }
}

let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
defer {
  do {
    try FileManager.default.removeItem(at: root)
  } catch {
    print("\(root.path) is left: \(error)")
  }
}
let server = try TokenServer(lifetime: 1)
let client = TokenClient(server: try await server.start())
let policy = SessionPolicy(retry: .exponential(from: .milliseconds(50), upTo: .milliseconds(200)))
let context = try StandardAppContext<Account>(root: root, configuration: ContextConfiguration(policy: policy))

/// Waits until a session is valid again, with another token.
func renewed(after token: String?) async {
  _ = await context.status.values.first { $0.authState == .authenticated && $0.user?.token != token }
}

try await context.setup(authDelegate: client)
try await context.triggerLogin()
check("somebody logs in", context.authState.value == .authenticated)

/// Checks that no log would show a text.
@MainActor func checkHidden(_ name: String, _ text: String) {
  var shown = "\(context.status.value) \(String(reflecting: context.lastError.value))"
  dump(context, to: &shown)
  dump(context.user.value, to: &shown)
  check("neither a description nor a dump shows \(name)", !shown.contains(text))
}

checkHidden("the token", context.user.value?.token ?? "")

let states = MutableProperty<[AuthState]>([])
let watching = context.authState.sink { state in states.modify { $0.append(state) } }
for _ in 1...2 { await renewed(after: context.user.value?.token) }
check("tokens that last a second are renewed before they expire", states.value == [.authenticated])
watching.cancel()

for fault in [TokenServer.Fault.internalError, .slow] {
  await server.arrange(fault)
  await renewed(after: context.user.value?.token)
  check("a session outlives the fault \(fault.rawValue)", context.authState.value == .authenticated)
}

let before = await server.requests["/renew"] ?? 0
try await withThrowingTaskGroup(of: Account.self) { group in
  for _ in 0..<100 { group.addTask { try await context.refreshAuthentication() } }
  try await group.waitForAll()
}
let after = await server.requests["/renew"] ?? 0
check("a hundred who renew at once ask the server a few times at most: \(after - before)", after - before <= 3)

check("no token is sent twice", await server.reuses == 0)

await server.arrange(.cut)
do {
  try await context.refreshAuthentication(force: true)
} catch {
  // The session sends the token again, because it cannot know that the server has used it.
}
_ = await context.authState.values.first { $0 == .unauthenticated }
check("a token that was exchanged is refused, so a lost answer costs the session", await server.reuses == 1)
try await context.triggerLogin()

await server.arrange(.invalidGrant)
do {
  try await context.refreshAuthentication(force: true)
} catch {
  // What counts is the state.
}
_ = await context.authState.values.first { $0 == .unauthenticated }
check("a session that is refused is over", context.current.value.isStandard)
checkHidden("what the server said", "invalid_grant")
if case .rejected(let failure) = context.lastError.value {
  check("the status is kept", failure.status == 400)
}

try await context.triggerLogin()
await server.stop()
try await context.logout()
check("a logout works without a server", context.authState.value == .unauthenticated)
check("and says that the server was not told", context.lastError.value != nil)
