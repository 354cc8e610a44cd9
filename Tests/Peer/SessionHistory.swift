import CLibrary
import Contexts
import Foundation
import Signals
import TestSupport

/// The history of a session: renewals, each of which spends a token, and changes of the user.
final class SessionHistory: HistoryPlace {
  private struct Guest: SessionUser {
    let id: String
    var name: Int
    var token: Int
  }

  /// A server whose tokens are files, so that the first process that spends one is known.
  private final class Server: AuthControllerDelegate {
    private let directory: URL
    private let thread: Guarded<HistoryThread>

    init(_ directory: URL, _ thread: HistoryThread) {
      self.directory = directory
      self.thread = Guarded(thread)
    }

    func authenticate() async throws -> Guest {
      Guest(id: "ada", name: 0, token: thread.withLock { $0.fresh() })
    }

    func shouldRefreshAuthentication(with user: Guest, isStartup: Bool) -> Bool { false }

    func refreshAuthentication(with user: Guest) async throws -> Guest {
      thread.withLock { thread in
        let note = thread.notes.call(.token, user.token, 0)
        let path = directory.appending(path: "\(user.token)").path
        let number = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        if number >= 0 { close(number) }
        var user = user
        user.token = thread.fresh()
        thread.notes.fill(note, number >= 0 ? 1 : 0, user.token)
        thread.notes.answer(note)
        return user
      }
    }

    func deauthenticate(_ user: Guest) async throws {}
  }

  private let context: StandardAppContext<Guest>
  private let server: Server

  init(_ life: HistoryLife) throws {
    let directory = life.directory.appending(path: "place")
    try FileManager.default.createDirectory(at: directory.appending(path: "tokens"), withIntermediateDirectories: true)
    let server = Server(directory.appending(path: "tokens"), try life.thread(96))
    let context = try StandardAppContext<Guest>(root: directory.appending(path: "root"))
    (self.server, self.context) = (server, context)
    try wait { try await context.setup(authDelegate: server) }
  }

  func prepare() throws {
    try wait { [context] in try await context.triggerLogin() }
  }

  func step(_ thread: HistoryThread) throws {
    let context = context
    if thread.chance.once(in: 2) {
      try thread.note(.renewal, 0, 0) {
        try wait { try await context.refreshAuthentication(force: true) }
        return 0
      }
    } else {
      let (value, old) = (thread.fresh(), MutableProperty(0))
      try thread.note(.update, 0, value) {
        try wait {
          try await context.update { user in
            old.value = user.name
            user.name = value
          }
        }
        return old.value
      }
    }
  }

  func readAll(_ thread: HistoryThread) throws {
    thread.notes.saw(.read, 0, 0, context.user.value?.name ?? -1)
  }

  func settle(_ thread: HistoryThread) async throws {
    let last = try await context.update { _ in }
    try await context.user.firstValue("the last user") { $0?.name == last.name && $0?.token == last.token }
    thread.notes.saw(.current, 0, 0, context.user.value?.name ?? -1)
  }
}
