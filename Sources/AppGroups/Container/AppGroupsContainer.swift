import FileSignals
public import Foundation

/// The directory that the apps of a group, or the processes of an app, share.
///
/// On Apple platforms, it is the container of the app group. Elsewhere it is a directory with the name of the group, in
/// `$XDG_DATA_HOME/AppGroups` or `~/.local/share/AppGroups`, which only the user may enter. Tests and tools can use any
/// other directory.
///
/// ```swift
/// import AppGroups
/// import Foundation
///
/// let directory = FileManager.default.temporaryDirectory.appending(path: "signals-example")
/// let container = try AppGroupsContainer(directory: directory)
/// print(container.containerURL.lastPathComponent)  // Prints "signals-example"
/// ```
public struct AppGroupsContainer: Sendable, Hashable {
  /// The identifier of the group.
  public let groupIdentifier: String

  /// The shared directory, with symbolic links resolved; it exists.
  public let containerURL: URL

  /// The directory for files that can be created again, which the system may remove; it may not exist.
  ///
  /// On Apple platforms, and in a directory of your choice, it is `Library/Caches` in the container. Elsewhere it is a
  /// directory with the name of the group, in `$XDG_CACHE_HOME/AppGroups` or `~/.cache/AppGroups`.
  public let cachesURL: URL

  /// Opens the container of a group, and creates it if it is missing.
  ///
  /// - Parameter groupIdentifier: The group, such as `group.com.example.app`. It must be a plain name of at most 255
  ///   bytes without a slash or a leading dot.
  /// - Throws: ``AppGroupsError`` if the identifier is invalid, if this program does not belong to the group, or if the
  ///   directory cannot be created. A symbolic link or a file in its place is an error, too.
  public init(_ groupIdentifier: String) throws(AppGroupsError) {
    try Self.validate(groupIdentifier)
    self.groupIdentifier = groupIdentifier
    containerURL = try Self.defaultDirectory(for: groupIdentifier)
    cachesURL = Self.defaultCaches(for: groupIdentifier) ?? Self.caches(in: containerURL)
  }

  /// Uses a directory of your choice as the container of a group, and creates it if it is missing.
  ///
  /// - Parameters:
  ///   - directory: The directory to share. ``containerURL`` is this directory with symbolic links resolved. Missing
  ///     directories are created so that only the user may enter them.
  ///   - groupIdentifier: A name for the group, which is not part of any path.
  /// - Throws: ``AppGroupsError`` if the identifier is invalid, or if the directory cannot be created.
  public init(directory: URL, groupIdentifier: String = "group.local") throws(AppGroupsError) {
    try Self.validate(groupIdentifier)
    self.groupIdentifier = groupIdentifier
    containerURL = try GroupDirectory.make(directory)
    cachesURL = Self.caches(in: containerURL)
  }

  private static func caches(in directory: URL) -> URL {
    directory.appending(path: "Library/Caches", directoryHint: .isDirectory)
  }

  private static func validate(_ groupIdentifier: String) throws(AppGroupsError) {
    guard let problem = PathComponent.problem(with: groupIdentifier) else { return }
    throw .invalidGroupIdentifier(groupIdentifier, reason: problem)
  }
}

/// An error in opening the directory of an app group.
@nonexhaustive
public enum AppGroupsError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
  /// The identifier cannot name a directory.
  case invalidGroupIdentifier(String, reason: String)

  /// This program does not belong to the group.
  case noGroup(String, reason: String)

  /// A value is opened by its name alone, but ``AppGroupsContainer/setStandard(_:)`` has not been called.
  case noStandard

  /// A container cannot become the standard one, because another one is.
  case standardIsSet(AppGroupsContainer, current: AppGroupsContainer)

  /// An `AppContainer` switches the contents of the directory between environments, so a value in it needs a scope.
  ///
  /// - Parameters:
  ///   - path: The location that was to be opened.
  ///   - root: The root directory of the `AppContainer`.
  case switchedDirectory(URL, root: URL)

  /// A directory of the group could not be created or opened.
  case unusableDirectory(URL, reason: String)

  /// A description of the problem, the place, the cause and the remedy.
  public var description: String {
    switch self {
    case .invalidGroupIdentifier(let identifier, let reason):
      "The group identifier \(identifier.debugDescription) cannot be used: \(reason). "
        + "Use letters, digits, dots and hyphens, such as \"group.com.example.app\"."
    case .noGroup(let identifier, let reason):
      "There is no container for the group \(identifier.debugDescription): \(reason)."
    case .noStandard:
      "There is no standard container. Call `AppGroupsContainer.setStandard(_:)` when the program starts, or pass a "
        + "container to the initializer."
    case .standardIsSet(let container, let current):
      "\(container.containerURL.path) cannot be the standard container, because \(current.containerURL.path) is. Set one "
        + "container when the program starts, and pass others to the initializers."
    case .switchedDirectory(let url, let root):
      "Can't open \(url.path) without a scope: an AppContainer switches the contents of \(root.path) between environments, "
        + "and the value would not follow. Open it with `scope:` and the container's `scope`, as in "
        + "`AppGroupsFile(name:initialValue:scope:)`, `AppGroupsSuite(name:scope:)` or `AppGroupsLog(name:scope:)`, choose "
        + "a directory outside that root, or exclude its directory with `setExcludedPaths(_:)`."
    case .unusableDirectory(let url, let reason):
      "The group's directory \(url.path) cannot be used: \(reason). "
        + "Make it a directory that this program can read and write, or choose another one."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}

/// Validates names from outside the package that are to become a component of a path.
///
/// A name is refused if it could lead to another directory, hide the file, or collide with the package's own files. It
/// is never repaired, because two names that are repaired into one would share a file.
package enum PathComponent {
  /// The maximum number of bytes of a file name.
  package static let maximumLength = 255

  /// The maximum number of bytes of a name that a user chooses for a file, so that its lock and temporary file have
  /// valid names.
  package static let maximumFileLength = 200

  /// Returns the problem with a name, which may have `limit` bytes of UTF-8, or `nil` if it is valid.
  package static func problem(with name: String, limit: Int = maximumLength) -> String? {
    if name.isEmpty { return "it is empty" }
    if name.utf8.count > limit { return "its \(name.utf8.count) bytes exceed the limit of \(limit)" }
    if name.begins(with: ".") { return "it begins with a dot, like the names of hidden files and \"..\"" }
    for scalar in name.unicodeScalars {
      switch scalar {
      case "/": return "it contains \"/\", which would lead to another directory"
      case "\0": return "it contains a NUL character, where the system would truncate it"
      case _ where scalar.properties.generalCategory == .control: return "it contains a control character"
      default: continue
      }
    }
    return nil
  }
}
