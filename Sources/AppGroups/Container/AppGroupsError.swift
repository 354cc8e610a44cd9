public import Foundation

/// An error in opening the directory of an app group.
public enum AppGroupsError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
  /// The identifier cannot name a directory.
  case invalidGroupIdentifier(String, reason: String)

  /// This program does not belong to the group.
  case noGroup(String, reason: String)

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
