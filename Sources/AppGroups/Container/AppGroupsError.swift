public import Foundation

/// Why the directory of an app group cannot be used.
public enum AppGroupsError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
  /// The identifier cannot name a directory.
  case invalidGroupIdentifier(String, reason: String)

  /// There is no such group for this program.
  case noGroup(String, reason: String)

  /// A directory of the group could not be made or entered.
  case unusableDirectory(URL, reason: String)

  /// What happened, where, why, and what to do.
  public var description: String {
    switch self {
    case .invalidGroupIdentifier(let identifier, let reason):
      "The group identifier \(identifier.debugDescription) cannot be used: \(reason). "
        + "Use letters, digits, dots and hyphens, such as \"group.com.example.app\"."
    case .noGroup(let identifier, let reason):
      "There is no container for the group \(identifier.debugDescription): \(reason)."
    case .unusableDirectory(let url, let reason):
      "The group's directory \(url.path) cannot be used: \(reason). "
        + "Make it a directory that this program may read and write, or choose another."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
