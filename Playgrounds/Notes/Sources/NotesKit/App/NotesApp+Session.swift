import SignalsKit
public import TokenClient

extension NotesApp {
  /// Logs in the user with a name, in the active environment and in all processes.
  ///
  /// - Parameter name: The name. A user who is logged in is replaced.
  /// - Returns: The user, who is in the archive, on disk.
  /// - Throws: An error of the connection or of the archive. `ContextError.environmentSwitched` after a switch, and
  ///   `ContextError.sessionEnded` if another user has logged in or out meanwhile; the answer of the server is dropped.
  @discardableResult
  public func logIn(_ name: String) async throws -> Account {
    // The session begins in the environment of this call, or not at all. A check before it begins would come too early.
    let context = try await sessions.startAppContext(replacing: true) { [client] in try await client.logIn(name) }
    guard let account = context.user.value else { throw ContextError.sessionEnded }
    return account
  }

  /// Logs the user out, in the active environment and in all processes.
  ///
  /// The notes stay on disk for the next login.
  ///
  /// - Throws: An error of the archive. A server that cannot be reached is no reason to stay logged in.
  public func logOut() async throws { try await sessions.logout() }
}
