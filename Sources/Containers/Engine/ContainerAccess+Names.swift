import Foundation

extension ContainerAccess {
  /// Returns the oldest environment with a name.
  func environment(named name: String) throws -> AppContainer.Environment {
    if let environment = try first(named: name) { return environment }
    let known = state.ids.map { self.environment($0) }.filter { $0.problem == nil }.map(\.name)
    throw AppContainerError.nameNotFound(name, known: known)
  }

  /// Returns the oldest environment with a name, and creates it if it is missing.
  func createIfMissing(name: String, description: String?) throws -> AppContainer.Environment {
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
