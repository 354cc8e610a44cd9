extension AppContainer {
  /// Returns the environment with a name.
  ///
  /// If several environments have the name, the oldest is returned. An environment whose record cannot be read has no
  /// name, so it is not found; see ``Environment/problem``.
  ///
  /// ```swift
  /// import Containers
  /// import Foundation
  ///
  /// let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  /// let app = try AppContainer(home: home)
  /// let staging = try app.create(name: "Staging")
  /// print(try app.environment(named: "Staging") == staging)  // Prints "true"
  /// do {
  ///   try app.activate(app.environment(named: "Stagin"))
  /// } catch AppContainerError.nameNotFound(_, let known) {
  ///   print(known)  // Prints "["Default", "Staging"]"
  /// }
  /// try FileManager.default.removeItem(at: home)
  /// ```
  ///
  /// - Parameter name: The name. Names that Unicode considers equivalent are equal.
  /// - Returns: The environment, which is not activated.
  /// - Throws: ``AppContainerError/nameNotFound(_:known:)`` if no environment has the name, or another
  ///   ``AppContainerError``. Nothing is created.
  public func environment(named name: String) throws(AppContainerError) -> Environment {
    try engine.exclusively("environment") { try $0.environment(named: name) }
  }

  /// Creates an environment without activating it, unless one with the name exists.
  ///
  /// Processes that call this at the same time get the same environment, and only one of them creates it. So an app can
  /// call it at each launch for the environments that it always has. For a name that a user types, use
  /// ``environment(named:)`` or ``create(name:description:)`` instead: with this method, a typing error would create
  /// another environment.
  ///
  /// ```swift
  /// import Containers
  /// import Foundation
  ///
  /// let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  /// let app = try AppContainer(home: home, defaultName: "Production")
  /// let staging = try app.createIfMissing(name: "Staging")
  /// print(try app.createIfMissing(name: "Staging") == staging)  // Prints "true"
  /// print(app.environments.value.map(\.name))  // Prints "["Production", "Staging"]"
  /// try FileManager.default.removeItem(at: home)
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name. Names that Unicode considers equivalent are equal.
  ///   - description: The purpose of a new environment. An existing environment keeps its own.
  /// - Returns: The new environment, or the oldest one with the name.
  /// - Throws: ``AppContainerError``; then nothing has changed.
  @discardableResult
  public func createIfMissing(name: String, description: String? = nil) throws(AppContainerError) -> Environment {
    try engine.exclusively("createIfMissing") { try $0.createIfMissing(name: name, description: description) }
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
