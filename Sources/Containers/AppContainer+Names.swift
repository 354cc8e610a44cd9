extension AppContainer {
  /// Returns the environment with a name, and creates it if there is none.
  ///
  /// Processes that call this at the same time get the same environment, and only one of them creates it. If several
  /// environments have the name, the oldest is returned. An environment whose record cannot be read has no name, so it
  /// is not found; see ``Environment/problem``.
  ///
  /// ```swift
  /// import Containers
  /// import Foundation
  ///
  /// let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  /// let app = try AppContainer(home: home)
  /// let staging = try app.environment(named: "Staging")
  /// print(try app.environment(named: "Staging") == staging)  // Prints "true"
  /// try FileManager.default.removeItem(at: home)
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name. Names that Unicode considers equivalent are equal.
  ///   - description: The description of a new environment. An existing environment keeps its own.
  /// - Returns: The environment, which is not activated.
  /// - Throws: ``AppContainerError``; then nothing has changed.
  public func environment(named name: String, description: String? = nil) throws(AppContainerError) -> Environment {
    try engine.exclusively("environment") { try $0.environment(named: name, description: description) }
  }

  /// A Boolean value that indicates whether environments must have different names; `false` by default.
  ///
  /// While it is `true`, an environment cannot be created, cloned, imported or renamed with a name that another one has:
  /// that throws ``AppContainerError/nameTaken(_:by:)``. Environments that share a name already keep it.
  ///
  /// It applies to all objects of this root in the process and is not stored. Set it when the app starts, in each process
  /// that creates or renames environments.
  public var requiresUniqueNames: Bool {
    get { engine.requiresUniqueNames }
    set { engine.requiresUniqueNames = newValue }
  }
}
