public import Foundation

/// The directory that several apps of one group, or several processes of one app, share.
///
/// On Apple platforms it is the app group's container; elsewhere it is a directory named after the group, in
/// `$XDG_DATA_HOME/AppGroups` or `~/.local/share/AppGroups`, which nobody but the user may enter. Any other directory
/// can be given instead, which is what tests and tools do.
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

  /// The directory that is shared; it exists, and contains no symbolic link on the way.
  public let containerURL: URL

  /// Opens the container of a group, and makes it if need be.
  ///
  /// - Parameter groupIdentifier: The group, such as `group.com.example.app`. It must be a plain name of at most 255
  ///   bytes without a slash or a leading dot.
  /// - Throws: ``AppGroupsError`` if the identifier is no such name, if this program has no such group, or if the
  ///   directory cannot be made or is not a directory of the group's own.
  public init(_ groupIdentifier: String) throws(AppGroupsError) {
    try Self.validate(groupIdentifier)
    self.groupIdentifier = groupIdentifier
    containerURL = try Self.defaultDirectory(for: groupIdentifier)
  }

  /// Uses a directory of your choice as the container of a group, and makes it if need be.
  ///
  /// - Parameters:
  ///   - directory: The directory to share. It becomes ``containerURL`` with symbolic links resolved; missing
  ///     directories are made so that only the user may enter them.
  ///   - groupIdentifier: What to call the group; it takes no part in any path.
  /// - Throws: ``AppGroupsError`` if the identifier is no plain name, or if the directory cannot be made.
  public init(directory: URL, groupIdentifier: String = "group.local") throws(AppGroupsError) {
    try Self.validate(groupIdentifier)
    self.groupIdentifier = groupIdentifier
    containerURL = try GroupDirectory.make(directory)
  }

  private static func validate(_ groupIdentifier: String) throws(AppGroupsError) {
    guard let problem = PathComponent.problem(with: groupIdentifier) else { return }
    throw .invalidGroupIdentifier(groupIdentifier, reason: problem)
  }
}
