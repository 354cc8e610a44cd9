public import Foundation

extension AppContainer {
  /// Creates an empty environment without activating it.
  ///
  /// - Parameters:
  ///   - name: The display name. Any text is allowed, even the name of another environment.
  ///   - description: The purpose of the environment.
  /// - Returns: The new environment.
  /// - Throws: ``AppContainerError``; then nothing has changed.
  @discardableResult
  public func create(name: String, description: String? = nil) throws(AppContainerError) -> Environment {
    try engine.exclusively("create") { try $0.make(name: name, description: description) }
  }

  /// Copies an environment with all its files, their modes and times, and links as links.
  ///
  /// If it is active, unsaved state in memory is written first. No other thread or process can switch during the copy.
  ///
  /// Other programs may write during the copy. A database of SQLite is copied as it was at one moment, with its log or
  /// journal. Locks that this process holds on the files are kept.
  ///
  /// - Parameters:
  ///   - environment: The environment to copy.
  ///   - name: The name of the copy; by default the same as the original.
  ///   - description: The description of the copy; by default the same as the original.
  ///   - progress: A closure that receives the number of copied entries, and returns whether to continue.
  /// - Returns: The copy, which was never activated. It has no extended attributes, hard links become separate files,
  ///   and set-user bits are removed.
  /// - Throws: ``AppContainerError``, among them ``AppContainerError/unsupportedFile(_:kind:)`` for named pipes and the
  ///   like, and ``AppContainerError/heldOpen(reason:)`` if another program keeps a database locked, or a file changing,
  ///   for the time limit of the directory; then nothing is left of the copy.
  /// - Complexity: O(*n*) in the number and size of the files.
  @discardableResult
  public func clone(
    _ environment: Environment, name: String? = nil, description: String? = nil,
    progress: @escaping (_ copied: Int) -> Bool = { _ in true }
  ) throws(AppContainerError) -> Environment {
    try clone(id: environment.id, name: name, description: description, progress: progress)
  }

  /// Copies the environment with an identifier; see ``clone(_:name:description:progress:)``.
  ///
  /// - Parameters:
  ///   - id: The identifier of the environment to copy.
  ///   - name: The name of the copy; by default the same as the original.
  ///   - description: The description of the copy; by default the same as the original.
  ///   - progress: A closure that receives the number of copied entries, and returns whether to continue.
  /// - Returns: The copy, which was never activated.
  /// - Throws: ``AppContainerError``; then nothing is left of the copy.
  @discardableResult
  public func clone(
    id: UUID, name: String? = nil, description: String? = nil,
    progress: @escaping (_ copied: Int) -> Bool = { _ in true }
  ) throws(AppContainerError) -> Environment {
    try engine.exclusively("clone") {
      try $0.clone(id, name: name, description: description, progress: progress)
    }
  }

  /// Removes an environment with all its files; if it is active, the default environment is activated first.
  ///
  /// - Parameter environment: The environment, which must not be the default one.
  /// - Throws: ``AppContainerError``; then the environment is unchanged, but the default one may already be active.
  public func delete(_ environment: Environment) throws(AppContainerError) {
    try delete(id: environment.id)
  }

  /// Removes the environment with an identifier; if it is active, the default environment is activated first.
  ///
  /// - Parameter id: The identifier, which must not be the default one.
  /// - Throws: ``AppContainerError``; then the environment is unchanged, but the default one may already be active.
  public func delete(id: UUID) throws(AppContainerError) {
    try engine.exclusively("delete") { try $0.delete(id) }
  }

  /// Removes all files and settings of an environment, and keeps its name, dates and counts.
  ///
  /// Excluded files stay. If the environment is active, unsaved state in memory is written first, so that nothing is
  /// lost if the call fails. Live values follow in every process, as they do after a switch, but ``events`` sends
  /// nothing. User defaults that only another process switches stay in that process.
  ///
  /// - Parameter environment: The environment.
  /// - Throws: ``AppContainerError``; then nothing has changed.
  public func clean(_ environment: Environment) throws(AppContainerError) {
    try clean(id: environment.id)
  }

  /// Removes all files and settings of the environment with an identifier; see ``clean(_:)``.
  ///
  /// - Parameter id: The identifier.
  /// - Throws: ``AppContainerError``; then nothing has changed.
  public func clean(id: UUID) throws(AppContainerError) {
    try engine.exclusively("clean") { try $0.clean(id) }
  }

  /// Activates the default environment and removes all others, the files that were put aside, and the excludes.
  ///
  /// - Throws: ``AppContainerError``; then the default environment may be active already.
  public func reset() throws(AppContainerError) {
    try engine.exclusively("reset") { try $0.reset() }
  }

  /// Replaces the name and the description of an environment.
  ///
  /// - Parameters:
  ///   - environment: The environment.
  ///   - name: The new name.
  ///   - description: The new description; `nil` removes the old one.
  /// - Returns: The environment with its new record.
  /// - Throws: ``AppContainerError``; then nothing has changed.
  @discardableResult
  public func update(
    _ environment: Environment, name: String, description: String?
  ) throws(AppContainerError) -> Environment {
    try update(id: environment.id, name: name, description: description)
  }

  /// Replaces the name and the description of the environment with an identifier.
  ///
  /// A record that cannot be read is written anew, unless a newer version of the package wrote it.
  ///
  /// - Parameters:
  ///   - id: The identifier.
  ///   - name: The new name.
  ///   - description: The new description; `nil` removes the old one.
  /// - Returns: The environment with its new record.
  /// - Throws: ``AppContainerError``; then nothing has changed.
  @discardableResult
  public func update(id: UUID, name: String, description: String?) throws(AppContainerError) -> Environment {
    try engine.exclusively("update") { try $0.update(id, name: name, description: description) }
  }

  // MARK: Excludes

  /// The paths, relative to the root, that all environments share and no switch moves.
  public var excludedPaths: [String] { engine.known.excludes }

  /// Replaces the paths that all environments share and no switch moves, in this and every other process.
  ///
  /// A path is matched name by name: `Cache` is the entry of that name at the top of the root, and neither `Cache2` nor
  /// `Library/Cache`. If `Library/Cache` is excluded, the directories above it stay in place, and a switch moves all
  /// other entries in them. If an inactive environment has an entry of an excluded path, the entry stays there until
  /// the environment is activated. If the root has an entry of that path by then, all environments share that one, and
  /// the other stays put away.
  ///
  /// `**/Settings.db` is every entry of that name, at any depth. To find them, a switch then reads all directories of
  /// both environments. No other pattern is allowed.
  ///
  /// Names are compared byte by byte, also where the file system ignores case. A value that was opened in an excluded
  /// path without the scope stays open if the path is no longer excluded, and does not follow the next switch.
  ///
  /// - Parameter paths: The paths, in place of the previous ones.
  /// - Throws: ``AppContainerError/invalidExcludedPath(_:reason:)`` if a path is not below the root or contains
  ///   another pattern, or another ``AppContainerError``; then nothing has changed.
  /// - Complexity: Each directory above an excluded path costs a rename for each of its entries, at each switch.
  public func setExcludedPaths(_ paths: [String]) throws(AppContainerError) {
    try engine.exclusively("setExcludedPaths") { try $0.setExcludes(paths) }
  }
}

extension AppContainer {
  /// A complete set of the data that an app stores, of which one is active at a time.
  ///
  /// It is a snapshot: its properties do not change. ``AppContainer/environments`` and ``AppContainer/active`` send
  /// newer ones. The ``id`` of an environment never changes, so keep that to find the environment again. Two snapshots
  /// are equal only if all properties are: compare identifiers to compare environments.
  public struct Environment: Codable, Hashable, Sendable, Identifiable {
    /// The identifier of the default environment, which every root has.
    public static let defaultID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    /// The identifier, which no other environment has.
    public let id: UUID

    /// The display name; several environments may have the same name.
    public internal(set) var name: String

    /// The purpose of the environment, or `nil` if none was given.
    public internal(set) var description: String?

    /// The date of its creation.
    public let createdAt: Date

    /// The date of the last activation; `nil` if it was never activated.
    public internal(set) var lastActivatedAt: Date?

    /// The number of activations.
    public internal(set) var activationCount = 0

    /// The reason why its record cannot be read; `nil` if the record is sound.
    ///
    /// The files of such an environment are unharmed, and it can be activated like any other. Its name and dates are
    /// placeholders. ``AppContainer/update(id:name:description:)`` writes the record anew, unless a newer version of
    /// the package wrote it. If the reason may pass unnoticed, such as a lack of file descriptors, the record is read
    /// again after one second, two, four, and so on, up to thirty.
    public internal(set) var problem: String?

    /// A Boolean value that indicates whether this is the default environment, which cannot be deleted.
    public var isDefault: Bool { id == Self.defaultID }
  }
}

extension AppContainer {
  /// A step of a switch between environments.
  ///
  /// Each ``willChange(from:to:)`` is followed by exactly one ``didChange(from:to:)`` or ``failed(from:to:error:)``. A
  /// switch by another process is reported by ``didChange(from:to:)`` alone. If another process makes several switches
  /// in a row, only the last environment is reported, and nothing if it is the one that was active before.
  @nonexhaustive
  public enum Event: Sendable, Hashable {
    /// Another environment is about to replace the active one.
    case willChange(from: Environment, to: Environment)

    /// Another environment is active: its files, settings and cookies are in place, and all live values have followed.
    case didChange(from: Environment, to: Environment)

    /// The switch was refused or failed; the environment that was active still is.
    case failed(from: Environment, to: Environment, error: AppContainerError)
  }
}
