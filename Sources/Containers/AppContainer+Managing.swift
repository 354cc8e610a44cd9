import FileSignals

extension AppContainer {
  /// Makes an empty container, which is not activated.
  ///
  /// - Parameters:
  ///   - name: What people call it; any text will do, also one that another container has.
  ///   - description: What it is for.
  /// - Returns: The container.
  /// - Throws: ``AppContainerError``; nothing has changed then.
  @discardableResult
  public func createNewContainer(name: String, description: String? = nil) throws(AppContainerError) -> Container {
    try engine.exclusively("createNewContainer") { try $0.make(name: name, description: description) }
  }

  /// Copies a container with all that is in it: modes, times, and links as links.
  ///
  /// If it is active, everything that memory holds for it is written first. Nobody can switch meanwhile.
  ///
  /// - Parameters:
  ///   - container: The container to copy.
  ///   - name: What people call the copy; by default as the original.
  ///   - description: What the copy is for; by default as the original.
  ///   - progress: Is told how many entries have been copied, and says whether to go on. By default it does.
  /// - Returns: The copy, which was never activated.
  /// - Throws: ``AppContainerError``, among them ``AppContainerError/unsupportedFile(_:kind:)`` for named pipes and the
  ///   like; nothing is left of the copy then.
  /// - Complexity: O(*n*) in the number and size of the files.
  @discardableResult
  public func clone(
    container: Container, with name: String? = nil, description: String? = nil,
    progress: @escaping (_ copied: Int) -> Bool = { _ in true }
  ) throws(AppContainerError) -> Container {
    try cloneContainer(uuid: container.uuid, with: name, description: description, progress: progress)
  }

  /// Copies the container of an identifier; see ``clone(container:with:description:progress:)``.
  ///
  /// - Parameters:
  ///   - uuid: The identifier of the container to copy.
  ///   - name: What people call the copy; by default as the original.
  ///   - description: What the copy is for; by default as the original.
  ///   - progress: Is told how many entries have been copied, and says whether to go on. By default it does.
  /// - Returns: The copy, which was never activated.
  /// - Throws: ``AppContainerError``; nothing is left of the copy then.
  @discardableResult
  public func cloneContainer(
    uuid: String, with name: String? = nil, description: String? = nil,
    progress: @escaping (_ copied: Int) -> Bool = { _ in true }
  ) throws(AppContainerError) -> Container {
    try engine.exclusively("cloneContainer") {
      try $0.clone(uuid, name: name, description: description, progress: progress)
    }
  }

  /// Removes a container with all that is in it; if it is active, the default one is activated first.
  ///
  /// - Parameter container: The container, which must not be the default one.
  /// - Throws: ``AppContainerError``; the container is unharmed then.
  public func delete(container: Container) throws(AppContainerError) {
    try deleteContainer(uuid: container.uuid)
  }

  /// Removes the container of an identifier; if it is active, the default one is activated first.
  ///
  /// - Parameter uuid: The identifier, which must not be that of the default container.
  /// - Throws: ``AppContainerError``; the container is unharmed then.
  public func deleteContainer(uuid: String) throws(AppContainerError) {
    try engine.exclusively("deleteContainer") { try $0.delete(uuid) }
  }

  /// Removes what a container holds, and keeps its name, dates and counts; if it is active, what is live goes.
  ///
  /// What is excluded stays. If it is active, everything that memory holds for it is written first, so that all of it is
  /// there if this fails, and live values of other processes let go of what is gone as they do after a switch; no event
  /// tells of it. User defaults that only another process switches stay as they are in that one.
  ///
  /// - Parameter container: The container.
  /// - Throws: ``AppContainerError``; nothing has changed then.
  public func clean(container: Container) throws(AppContainerError) {
    try cleanContainer(uuid: container.uuid)
  }

  /// Removes what the container of an identifier holds; see ``clean(container:)``.
  ///
  /// - Parameter uuid: The identifier.
  /// - Throws: ``AppContainerError``; nothing has changed then.
  public func cleanContainer(uuid: String) throws(AppContainerError) {
    try engine.exclusively("cleanContainer") { try $0.clean(uuid) }
  }

  /// Activates the default container and removes all others, what was put aside, and the excludes.
  ///
  /// - Throws: ``AppContainerError``.
  public func reset() throws(AppContainerError) {
    try engine.exclusively("reset") { try $0.reset() }
  }

  /// Gives a container another name and description.
  ///
  /// - Parameters:
  ///   - container: The container.
  ///   - name: What people call it from now on.
  ///   - description: What it is for; `nil` removes what was said.
  /// - Returns: The container with its new record.
  /// - Throws: ``AppContainerError``; nothing has changed then.
  @discardableResult
  public func updateInfo(
    of container: Container, name: String, description: String?
  ) throws(AppContainerError) -> Container {
    try updateContainerInfo(uuid: container.uuid, name: name, description: description)
  }

  /// Gives the container of an identifier another name and description.
  ///
  /// A record that cannot be read is written anew, unless a newer version of the package wrote it.
  ///
  /// - Parameters:
  ///   - uuid: The identifier.
  ///   - name: What people call it from now on.
  ///   - description: What it is for; `nil` removes what was said.
  /// - Returns: The container with its new record.
  /// - Throws: ``AppContainerError``; nothing has changed then.
  @discardableResult
  public func updateContainerInfo(
    uuid: String, name: String, description: String?
  ) throws(AppContainerError) -> Container {
    try engine.exclusively("updateContainerInfo") { try $0.update(uuid, name: name, description: description) }
  }

  // MARK: Excludes

  /// What is not switched, but shared by all containers, as paths from the root on.
  public var customExcludeFiles: [String] { engine.known.excludes }

  /// Says what is not switched, but shared by all containers, in this and every other process, until it is said anew.
  ///
  /// A path is matched name by name: `Cache` is the entry of that name at the top of the root, and neither `Cache2` nor
  /// `Library/Cache`. Of an excluded `Library/Cache`, the directories above stay where they are, and all else in them
  /// is switched. What is excluded while it lies in containers that are not active stays there until one is activated;
  /// if the root has something of its path by then, that is what all share, and the other stays put away.
  ///
  /// - Parameter paths: The paths, in place of those before.
  /// - Throws: ``AppContainerError/invalidExclude(_:reason:)`` if a path does not lie below the root, or another
  ///   ``AppContainerError``; nothing has changed then.
  /// - Complexity: Each directory above an excluded path costs a rename for each of its entries, at each switch.
  public func setCustomExcludeFiles(_ paths: [String]) throws(AppContainerError) {
    try engine.exclusively("setCustomExcludeFiles") { try $0.setExcludes(paths) }
  }
}
