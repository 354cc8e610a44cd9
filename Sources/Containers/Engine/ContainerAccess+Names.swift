import Foundation

extension ContainerAccess {
  /// Returns the environment with a name, and creates it if it is missing.
  func environment(named name: String, description: String?) throws -> AppContainer.Environment {
    if let environment = try first(named: name) { return environment }
    return try make(name: name, description: description)
  }

  /// Throws an error if names must be unique and another environment has the name.
  func checkName(_ name: String, of id: UUID? = nil) throws {
    guard engine.requiresUniqueNames, let other = try first(named: name, except: id) else { return }
    throw AppContainerError.nameTaken(name, by: other.id)
  }

  private func first(named name: String, except id: UUID? = nil) throws -> AppContainer.Environment? {
    // A process that was killed may have created the directory without adding it to the list.
    try reconcile()
    return state.ids.lazy.filter { $0 != id }.map { self.environment($0) }
      .first { $0.problem == nil && $0.name == name }
  }
}
