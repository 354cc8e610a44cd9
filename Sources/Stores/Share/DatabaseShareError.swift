public import FileSignals
public import Foundation
import Signals

/// An error in sharing a database, or in receiving the changes of other processes.
@nonexhaustive
public enum DatabaseShareError: Error, Hashable, Sendable {
  /// The database is in memory, where no other process can access it.
  case inMemory

  /// The database's file is not in the container that the processes of the group share.
  case outsideContainer(URL, container: URL)

  /// The author's name is invalid.
  case invalidAuthor(String, reason: String)

  /// Another share of the file has the author's name, in this process or another one that is running, and kept it for
  /// longer than the caller waited.
  ///
  /// Two processes with the same name would not receive each other's changes. The error contains the time that was spent
  /// waiting, and the process that has the name, if it is known.
  case authorInUse(String, URL, after: Duration, holder: LockHolder?)

  /// This object is already shared.
  ///
  /// A process needs only one share.
  case alreadyShared(URL)

  /// The database could not be read or written.
  case database(DatabaseError)

  /// Changes of other processes cannot be observed as they happen.
  case unobservable(FileObserverError)

  /// A recorded change of another process cannot be decoded, possibly because that process is newer.
  ///
  /// Everything may have changed.
  case undecodable(URL, sequence: Int64, author: String, reason: String)
}

extension DatabaseShareError {
  /// Creates the error of a failed operation on the database.
  init(_ error: any Error) {
    self =
      switch error {
      case let error as DatabaseShareError: error
      case DatabaseError.authorInUse(let author, let path, let limit, let holder):
        .authorInUse(author, URL(filePath: path), after: limit, holder: holder)
      case let error as DatabaseError: .database(error)
      case let error as FileObserverError: .unobservable(error)
      default: stop(because: "A database threw an error of an unexpected type")
      }
  }
}

extension DatabaseShareError: CustomStringConvertible, LocalizedError {
  /// A description of the problem and the remedy.
  public var description: String {
    switch self {
    case .inMemory:
      "An in-memory database cannot be shared. Open a database in a file."
    case .outsideContainer(let url, let container):
      "\(url.path) is not in the container \(container.path), where other processes look for it. Move it there."
    case .invalidAuthor(let name, let reason):
      "\(name.debugDescription) cannot be the name of an author: \(reason). Choose another name."
    case .authorInUse(let name, let url, let limit, let holder):
      DatabaseError.authorInUse(name, path: url.path, after: limit, holder: holder).description
    case .alreadyShared(let url):
      "\(url.path) is already shared by this object. Use that share, or close it first."
    case .database(let error): error.description
    case .unobservable(let error): error.description
    case .undecodable(let url, let sequence, let author, let reason):
      "The change \(sequence) of \(url.path), made by \(author), cannot be read: \(reason). All rows count as changed."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
