public import SignalsKit

extension AppContainer {
  /// The names of the environments that the app always has.
  public static let names = ["Production", "Staging", "Demo"]

  /// Creates the environments that are missing.
  ///
  /// Processes that start at the same time get the same environments, because each step finds what another one made.
  func createAll() throws {
    // The default environment is where an app without environments had its files.
    if let first = environments.value.first(where: \.isDefault), first.name != Self.names[0] {
      try update(first, name: Self.names[0], description: first.description)
    }
    for name in Self.names where !environments.value.contains(where: { $0.name == name }) {
      _ = try environment(named: name)
    }
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
