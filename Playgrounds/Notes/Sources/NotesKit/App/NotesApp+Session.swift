import SignalsKit
public import TokenClient

extension NotesApp {
  /// Logs in the user with a name, in the active environment and in all processes.
  ///
  /// - Parameter name: The name. A user who is logged in is replaced.
  /// - Returns: The user, who is in the archive, on disk.
  /// - Throws: An error of the connection or of the archive. After a switch, the answer of the server is dropped.
  @discardableResult
  public func logIn(_ name: String) async throws -> Account {
    let environment = environments.active.value.id
    let account = try await client.logIn(name)
    guard environment == environments.active.value.id else { throw CancellationError() }
    try await sessions.startAppContext(with: account, replacing: true)
    return account
  }

  /// Logs the user out, in the active environment and in all processes.
  ///
  /// The notes stay on disk for the next login.
  ///
  /// - Throws: An error of the archive. A server that cannot be reached is no reason to stay logged in.
  public func logOut() async throws { try await sessions.logout() }
}
