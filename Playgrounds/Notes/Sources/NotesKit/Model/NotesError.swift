public import Foundation

/// An error of the app itself; the package throws its own errors, which name their remedies too.
public enum NotesError: Error, Hashable, LocalizedError {
  /// Another environment is active than the one that the caller meant.
  case otherEnvironment(wanted: String, active: String)
  /// There is no environment with the name.
  case noEnvironment(String)
  /// No user is logged in.
  case notLoggedIn(environment: String)
  /// The user has no such note.
  case noNote(UUID)
  /// The note is longer than the flag allows.
  case tooLong(count: Int, limit: Int)
  /// The note has no text.
  case empty
  /// A flag switches the feature off.
  case disabled(feature: String)

  /// A description of the failure and its remedy.
  public var errorDescription: String? {
    switch self {
    case .otherEnvironment(let wanted, let active):
      "Nothing was changed: \(wanted) was asked for, and \(active) is active now. Switch to \(wanted), and try again."
    case .noEnvironment(let name): "There is no environment \(name). Choose Production, Staging or Demo."
    case .notLoggedIn(let environment): "No user is logged in to \(environment). Log in first: notes login NAME."
    case .noNote(let id): "There is no note \(id). Another process may have removed it."
    case .tooLong(let count, let limit): "The note has \(count) characters, and \(limit) are allowed. Shorten it."
    case .empty: "The note is empty. Write something."
    case .disabled(let feature): "\(feature) is switched off in this environment. See: notes flags."
    }
  }
}
