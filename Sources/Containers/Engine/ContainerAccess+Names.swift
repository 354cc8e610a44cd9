import Foundation

extension ContainerAccess {
  /// The environment with a name, made if there is none.
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
    // A process that was killed may have made the directory and not yet listed it.
    try reconcile()
    return state.ids.lazy.filter { $0 != id }.map { self.environment($0) }
      .first { $0.problem == nil && $0.name == name }
  }
}
