import AppGroups
public import FileSignals
public import Foundation
import Signals

/// An error in an operation on environments.
///
/// After an error, every file is where it was. The same environment is active, unless the page of the method says
/// otherwise.
@nonexhaustive
public enum AppContainerError: Error, Hashable, Sendable {
  /// The directory cannot hold environments.
  case unusableRoot(URL, reason: String)

  /// No environment has this identifier, or it was deleted.
  case notFound(id: UUID)

  /// No environment has this name; `known` lists the names that exist.
  case nameNotFound(String, known: [String])

  /// Another environment has the name, and names must be unique; see ``AppContainer/requiresUniqueNames``.
  case nameTaken(String, by: UUID)

  /// The operation is not possible on the default environment.
  case defaultEnvironment(operation: String)

  /// A delegate or an observer refused the switch.
  case vetoed(reason: String)

  /// A flush hook or a live value could not write its state before the switch.
  case flushFailed(String, reason: String)

  /// Settings that are switched with the files could not be read or written.
  case settingsFailed(String, reason: String)

  /// A live value of the environment could not be held during the switch.
  case heldOpen(reason: String)

  /// The call came from inside of another change of the same root, or of a value or database in it, on the same thread.
  case nested(operation: String)

  /// This process is suspended in the directory; see `AppGroupsContainer`.
  case suspended(URL, operation: String)

  /// The list of environments cannot be read, so the active environment is unknown.
  case unreadableState(URL, reason: String)

  /// A record of environments was written by a newer version of the package; `supported` is the newest readable
  /// version.
  case newerState(URL, found: Int, supported: Int)

  /// A path cannot be excluded.
  case invalidExcludedPath(String, reason: String)

  /// Another entry is in the way, and no entry is ever overwritten.
  case blocked(URL, reason: String)

  /// A file is of a kind that cannot be copied, such as a named pipe.
  case unsupportedFile(URL, kind: String)

  /// An archive cannot be used.
  case unusableArchive(URL, reason: String)

  /// An archive was written by a newer version of the package; `supported` is the newest readable version.
  case newerArchive(URL, found: Int, supported: Int)

  /// An archive contains an entry that is unsafe to create, such as a file outside of its environment.
  case unsafeArchive(URL, entry: String, reason: String)

  /// The progress closure returned `false`, or the task was cancelled.
  case cancelled(operation: String)

  /// A file could not be read, written or locked.
  case file(DurableFileError)

  /// Changes by other processes cannot be observed.
  case unobservable(FileObserverError)
}

extension AppContainerError {
  /// Converts any error that an operation threw.
  init(mapping error: any Error) {
    self =
      switch error {
      case let error as AppContainerError: error
      case let error as DurableFileError: .file(error)
      case let error as FileObserverError: .unobservable(error)
      default: .heldOpen(reason: "\(error)")
      }
  }

  /// Runs a closure, and converts its error to an ``AppContainerError``.
  static func mapping<Result>(_ body: () throws -> Result) throws(AppContainerError) -> Result {
    do {
      return try body()
    } catch {
      throw AppContainerError(mapping: error)
    }
  }
}

/// Runs a closure, and wraps its error in ``AppContainerError/file(_:)``.
func wrapped<Result>(
  _ body: @autoclosure () throws(DurableFileError) -> Result
) throws(AppContainerError) -> Result {
  try translating(body(), by: AppContainerError.file)
}

extension AppContainerError: CustomStringConvertible, LocalizedError {
  /// A description of the operation, the place, the cause and the remedy.
  public var description: String {
    switch self {
    case .unusableRoot(let url, let reason):
      "\(url.path) cannot hold environments: \(clause(reason)). Choose a directory that is readable and writable."
    case .notFound(let id):
      "There is no environment \(id.uuidString). Check the list of environments; another process may have deleted it."
    case .nameNotFound(let name, let known):
      "There is no environment named \(name.debugDescription).\(Self.suggestion(for: name, in: known)) Correct the name, "
        + "or create the environment with create(name:)."
    case .nameTaken(let name, let id):
      "The environment \(id.uuidString) already has the name \(name.debugDescription). Choose another name, or get "
        + "that environment with environment(named:)."
    case .defaultEnvironment(let operation):
      "The default environment cannot be \(operation). Clean it instead, or activate another environment."
    case .vetoed(let reason):
      "The switch was refused: \(clause(reason)). Nothing was moved. Try again when the reason no longer applies."
    case .flushFailed(let name, let reason):
      "\(name) could not be saved before the switch: \(clause(reason)). Nothing was moved."
    case .settingsFailed(let name, let reason):
      "\(name) could not be switched: \(clause(reason)). Correct this, and try again."
    case .heldOpen(let reason):
      "The environment's contents could not be frozen: \(clause(reason)). Nothing was moved. Try again."
    case .nested(let operation):
      "\(operation) cannot run inside another change of the same root, or of a value or database in it. Call it after "
        + "that change has returned."
    case .suspended(let url, let operation):
      "\(operation) is not possible while this process is suspended in \(url.path). Try again after resume() of the "
        + "AppGroupsContainer."
    case .unreadableState(let url, let reason):
      "\(url.path) cannot be read: \(clause(reason)). It records the active environment, so nothing is moved until you "
        + "restore it from a backup or remove it. The files of the environments are intact."
    case .newerState(let url, let found, let supported):
      "\(url.path) has version \(found), and this program reads versions up to \(supported). Update this program."
    case .invalidExcludedPath(let path, let reason):
      "\(path.debugDescription) cannot be excluded: \(reason). Use a path below the root, such as \"Library/Caches\"."
    case .blocked(let url, let reason):
      "\(url.path) is in the way: \(clause(reason)). Move it away, and try again."
    case .unsupportedFile(let url, let kind):
      "\(url.path) is \(kind), which cannot be copied. Remove it, or exclude it."
    case .unusableArchive(let url, let reason):
      "Can't use the archive \(url.path): \(clause(reason)). No environment was changed."
    case .newerArchive(let url, let found, let supported):
      "The archive \(url.path) has version \(found), and this program reads versions up to \(supported). Nothing was "
        + "imported. Update this program."
    case .unsafeArchive(let url, let entry, let reason):
      "The archive \(url.path) contains the unsafe entry \(entry.debugDescription): \(reason). Nothing was imported. If "
        + "it is a link in an archive of your own, import it with allowsOutwardLinks: true. Otherwise get the archive "
        + "again, because someone may have tampered with it."
    case .cancelled(let operation):
      "\(operation) was cancelled, and the partial result was removed."
    case .file(let error):
      error.description
    case .unobservable(let error):
      error.description
    }
  }

  /// Returns a sentence with the name that was probably meant, and one with the names that exist.
  private static func suggestion(for name: String, in known: [String]) -> String {
    let nearest = known.first { $0.lowercased() == name.lowercased() } ?? Nearest.text(to: name, in: known)
    let listed = known.prefix(10).map(\.debugDescription).joined(separator: ", ")
    let others = known.count > 10 ? " and \(known.count - 10) others" : ""
    return (nearest.map { " Did you mean \($0.debugDescription)?" } ?? "")
      + (known.isEmpty ? "" : " The names are \(listed)\(others).")
  }

  /// A Boolean value that indicates whether the cause may pass without a change of any file.
  var mayPassUnseen: Bool {
    switch self {
    // No file changes when another process releases a lock.
    case .file(.lockTimeout): true
    case .file(let error): error.mayPassUnseen
    default: false
    }
  }

  /// The error for a record that cannot be decoded.
  init(undecodable url: URL, _ error: any Error) {
    self =
      switch error as? FileVersionError {
      case .newer(let found, let supported): .newerState(url, found: found, supported: supported)
      case .older, .migrationFailed, nil: .unreadableState(url, reason: "it is damaged")
      }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
