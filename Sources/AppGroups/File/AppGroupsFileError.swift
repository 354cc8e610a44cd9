public import FileSignals
public import Foundation

/// An error in opening, reading or writing a shared file.
///
/// Each case contains the file, and ``description`` adds the cause and a remedy. Unless documented otherwise, the value
/// in memory and the content on disk are unchanged.
@nonexhaustive
public enum AppGroupsFileError: Error, Hashable, Sendable {
  /// The name cannot be the name of a file.
  case invalidName(String, reason: String)

  /// The container's directory for files could not be created or opened.
  case unusableContainer(AppGroupsError)

  /// The file is a symbolic link that leads out of the container.
  case outsideContainer(URL, target: String)

  /// The file does not exist: it has been removed, or was never created.
  case missing(URL)

  /// The file is empty, as it may be while a program truncates and rewrites it.
  case empty(URL)

  /// The format cannot decode the content.
  case undecodable(URL, reason: String)

  /// The content has `size` bytes, more than the `limit` of the file; none of it was read.
  ///
  /// A write replaces it, unless the file was opened with a seal: another key may open the content.
  case contentTooLarge(URL, size: Int, limit: Int)

  /// The content belongs to a newer version of the program; `supported` is the newest version that this program reads.
  case newerVersion(URL, found: Int, supported: Int)

  /// The content has a version that is no longer read; `supported` is the oldest version that this program reads.
  case olderVersion(URL, found: Int, supported: Int)

  /// The content has an older version, and a step of its migration threw an error.
  case migrationFailed(URL, from: Int, to: Int, reason: String)

  /// The content is sealed with a key that this program does not have; no write replaces it.
  case unknownKey(URL, key: String)

  /// The content is sealed, and the key of that name does not open it; no write replaces it.
  ///
  /// The key is another one of the same name, or the content has been changed. An authenticated cipher cannot tell.
  case unopenable(URL, key: String, reason: String)

  /// The format cannot encode the value.
  case unencodable(URL, reason: String)

  /// The value has `size` encoded bytes, more than the `limit` of the file; nothing was written.
  case valueTooLarge(URL, size: Int, limit: Int)

  /// A value of a suite cannot be decoded as the type of its key; the other values are unaffected.
  case undecodableValue(URL, key: String, type: String, reason: String)

  /// A value for a key of a suite cannot be represented in JSON.
  case unencodableValue(URL, key: String, type: String, reason: String)

  /// A part of the journal of a suite is damaged, and the changes in it are lost; all others are intact.
  case damagedJournal(URL, reason: String)

  /// Another program has replaced the file of a suite, without the latest changes of these keys, which are lost.
  case changesReplaced(URL, keys: [String])

  /// The body of an update wrote or updated the same file.
  case nestedUpdate(URL)

  /// The contents of the scope were switched, and the file was opened with a policy that closes it then.
  case closedBySwitch(URL)

  /// This process is suspended in the container.
  case suspended(URL, operation: String)

  /// The file system refuses access.
  case inaccessible(DurableFileError)

  /// Changes of the file cannot be observed.
  case unobservable(FileObserverError)
}

extension AppGroupsFileError {
  init(_ error: DurableFileError) {
    self =
      switch error {
      case .notFound(let url): .missing(url)
      case .outsideRoot(let url, let target): .outsideContainer(url, target: target)
      case .exceedsLimit(let url, let size, let limit): .contentTooLarge(url, size: size, limit: limit)
      case .reentrantLock(let url): .nestedUpdate(url)
      case .suspended(let url): .suspended(url, operation: "write")
      default: .inaccessible(error)
      }
  }

  /// A Boolean value that indicates whether the cause may be a program that has not finished writing the file.
  var mayPassSoon: Bool {
    switch self {
    case .empty, .undecodable, .missing, .unopenable: true
    default: false
    }
  }

  /// A Boolean value that indicates whether the content is sealed and this program cannot open it.
  var isAboutKey: Bool {
    switch self {
    case .unknownKey, .unopenable: true
    default: false
    }
  }

  /// A Boolean value that indicates whether the content was read but is unusable.
  var isAboutContent: Bool {
    switch self {
    case .empty, .undecodable, .contentTooLarge, .newerVersion, .olderVersion, .migrationFailed: true
    case .unknownKey, .unopenable: true
    default: false
    }
  }

  /// A Boolean value that indicates whether a file can be opened in spite of the error, because it may become usable.
  var allowsOpening: Bool {
    switch self {
    case .empty, .undecodable, .contentTooLarge, .missing, .newerVersion, .olderVersion, .migrationFailed: true
    case .unknownKey, .unopenable: true
    case .inaccessible(.permissionDenied): true
    default: false
    }
  }
}

extension AppGroupsFileError: CustomStringConvertible, LocalizedError {
  /// A description of the failed operation, the file, the cause and the remedy.
  public var description: String {
    switch self {
    case .invalidName(let name, let reason):
      "\(name.debugDescription) cannot be the name of a shared file: \(reason). Choose a plain name, such as "
        + "\"settings.json\"."
    case .unusableContainer(let error):
      error.description
    case .outsideContainer(let url, let target):
      "\(url.path) is a symbolic link to \(target), outside the container. Remove the link; to share a file elsewhere, "
        + "open it by its URL."
    case .missing(let url):
      "There is no file at \(url.path). The last value is kept, and the next write creates the file again."
    case .empty(let url):
      "\(url.path) is empty. The last value is kept until a program writes the file. Write a value to repair it."
    case .undecodable(let url, let reason):
      "The content of \(url.path) cannot be decoded: \(reason). It was not changed, because a newer version of the program "
        + "may own it. Write a value to replace it."
    case .contentTooLarge(let url, let size, let limit):
      "Could not read \(url.path): its \(size) bytes exceed the limit of \(limit). Open the file with a larger "
        + "maximumSize, or write a value to replace the content, unless it is sealed."
    case .newerVersion(let url, let found, let supported):
      "The content of \(url.path) has version \(found), and this program reads versions up to \(supported). It was not "
        + "changed. Update this program, or overwrite the file if you do not need its content."
    case .olderVersion(let url, let found, let supported):
      "The content of \(url.path) has version \(found), and this program reads versions from \(supported). It was not "
        + "changed. Open it with a version of the program that migrates it, or write a value to replace it."
    case .migrationFailed(let url, let from, let to, let reason):
      "The content of \(url.path) could not be migrated from version \(from) to \(to): \(reason). It was not changed. "
        + "Correct the migration, or write a value to replace it."
    case .unknownKey(let url, let key):
      "The content of \(url.path) is sealed with the key \(key.debugDescription), which this program does not have. It was "
        + "not changed. Add the key to the FileSeal of the file, or remove the file if the key is lost."
    case .unopenable(let url, let key, let reason):
      "The content of \(url.path) cannot be opened with the key \(key.debugDescription): \(reason). It was not changed. "
        + "Check whether the FileSeal has the right key of this name. Otherwise the content has been changed: restore a "
        + "backup, or remove the file."
    case .unencodable(let url, let reason):
      "The value for \(url.path) cannot be encoded: \(reason). The file is unchanged."
    case .valueTooLarge(let url, let size, let limit):
      "Could not write \(url.path): the value's \(size) bytes exceed the limit of \(limit). The file is unchanged. Store "
        + "less, or open the file with a larger maximumSize in all processes."
    case .undecodableValue(let url, let key, let type, let reason):
      "The value for \(key.debugDescription) in \(url.path) cannot be decoded as \(type): \(reason). It was not changed, "
        + "because a newer version of the program may own it. Set a value to replace it."
    case .unencodableValue(let url, let key, let type, let reason):
      "The \(type) for \(key.debugDescription) in \(url.path) cannot be encoded: \(reason). The file is unchanged."
    case .damagedJournal(let url, let reason):
      "A part of the journal of \(url.path) is damaged: \(reason). The changes in it are lost; all others are intact. Check "
        + "the disk, and set the values again."
    case .changesReplaced(let url, let keys):
      "Another program replaced \(url.path) without the latest changes of \(keys.map(\.debugDescription).joined(separator: ", ")). "
        + "Set these values again, and let the program change the file while no process uses it."
    case .nestedUpdate(let url):
      "The body of an update of \(url.path) wrote or updated the same file. Change the body's argument instead."
    case .closedBySwitch(let url):
      "The directory of \(url.path) was replaced by another, and the file was closed. Open it again."
    case .suspended(let url, let operation):
      "Can't \(operation) \(url.path): this process is suspended in its container. Try again after resume() of the "
        + "AppGroupsContainer."
    case .inaccessible(let error):
      error.description
    case .unobservable(let error):
      error.description
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }

  /// The cause alone, for a message that already names the file.
  var cause: String {
    if case .undecodable(_, let reason) = self { reason } else { clause(description) }
  }
}
