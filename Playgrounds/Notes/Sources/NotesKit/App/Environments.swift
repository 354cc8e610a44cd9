public import SignalsKit

extension AppContainer {
  /// The names of the environments that the app always has.
  public static let names = ["Production", "Staging", "Demo"]

  /// Creates the environments that are missing.
  ///
  /// The first one is the default environment. Processes that start at the same time get the same environments, because
  /// each step finds what another one made.
  func createAll() throws {
    for name in Self.names { try createIfMissing(name: name) }
  }

  /// Activates the environment with a name, for all processes.
  ///
  /// - Parameter name: The name.
  /// - Throws: ``NotesError/noEnvironment(_:)``, or `AppContainerError` if a process refuses.
  public func activate(named name: String) async throws {
    guard let environment = environments.value.first(where: { $0.name == name }) else {
      throw NotesError.noEnvironment(name)
    }
    try await activate(environment)
  }
}
