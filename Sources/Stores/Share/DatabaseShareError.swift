public import FileSignals
public import Foundation
import Signals

/// Why a database could not be shared, or why what others have changed could not be taken in.
public enum DatabaseShareError: Error, Hashable, Sendable {
  /// The database is in memory, where no other process can be.
  case inMemory

  /// The database's file is not in the container, where all processes of the group find it.
  case outsideContainer(URL, container: URL)

  /// The author's name cannot be used.
  case invalidAuthor(String, reason: String)

  /// Another share of the file has the author's name, in this process or in another that is running.
  ///
  /// Two processes with one name would not receive each other's changes.
  case authorInUse(String, URL)

  /// This object is shared already; one share is enough for a process.
  case alreadyShared(URL)

  /// The database could not be read or written.
  case database(DatabaseError)

  /// What the others have changed cannot be seen as it happens.
  case unobservable(FileObserverError)

  /// What another process has written down cannot be read, perhaps because that is a newer version; everything may have
  /// changed.
  case undecodable(URL, sequence: Int64, author: String, reason: String)
}

extension DatabaseShareError {
  /// Makes the error of what failed in a database.
  init(_ error: any Error) {
    self =
      switch error {
      case let error as DatabaseShareError: error
      case DatabaseError.authorInUse(let author, let path): .authorInUse(author, URL(filePath: path))
      case let error as DatabaseError: .database(error)
      case let error as FileObserverError: .unobservable(error)
      default: stop(because: "A database threw what it does not throw")
      }
  }
}

extension DatabaseShareError: CustomStringConvertible, LocalizedError {
  /// What happened, and what to do.
  public var description: String {
    switch self {
    case .inMemory:
      "A database in memory cannot be shared. Open one in a file."
    case .outsideContainer(let url, let container):
      "\(url.path) is not in the container \(container.path), where the other processes would find it. Put it there."
    case .invalidAuthor(let name, let reason):
      "\(name.debugDescription) cannot be the name of an author: \(reason). Choose another name."
    case .authorInUse(let name, let url):
      "Can't share \(url.path) as \(name.debugDescription): another share of the file has that name, in this process or in "
        + "another one. Close that share, or give each process a name of its own."
    case .alreadyShared(let url):
      "\(url.path) is shared by this object already. Use that share, or close it first."
    case .database(let error): error.description
    case .unobservable(let error): error.description
    case .undecodable(let url, let sequence, let author, let reason):
      "The change \(sequence) of \(url.path), made by \(author), cannot be read: \(reason). Everything was taken as changed."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
