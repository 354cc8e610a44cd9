public import FileSignals
public import Foundation

/// Why a shared file could not be opened, read or written.
///
/// Each case names the file; ``description`` adds the cause in words and what can be done about it. Whatever is thrown
/// or reported, the value in memory and the content on disk are what they were before.
public enum AppGroupsFileError: Error, Hashable, Sendable {
  /// The name cannot be that of a file.
  case invalidName(String, reason: String)

  /// The container's directory for files could not be made or entered.
  case unusableContainer(AppGroupsError)

  /// The file is a symbolic link that leads out of the container.
  case outsideContainer(URL, target: String)

  /// There is no file: it has been removed, or never was.
  case missing(URL)

  /// The file has no content, as one that is truncated to be written anew.
  case empty(URL)

  /// The content is not what the format can read.
  case undecodable(URL, reason: String)

  /// The content has `size` bytes, more than the `limit` that the file was opened with; none of it was read.
  case contentTooLarge(URL, size: Int, limit: Int)

  /// The content was written by a newer version of the program, which owns it; `supported` is the newest that is read.
  case newerVersion(URL, found: Int, supported: Int)

  /// The content is of a version that is no longer read; `supported` is the oldest that is.
  case olderVersion(URL, found: Int, supported: Int)

  /// The content is of an older version, and a step of its migration threw.
  case migrationFailed(URL, from: Int, to: Int, reason: String)

  /// The value is not what the format can write.
  case unencodable(URL, reason: String)

  /// The value takes `size` bytes, more than the `limit` that the file was opened with; nothing was written.
  case valueTooLarge(URL, size: Int, limit: Int)

  /// One value of a suite is not what its key's type can read; the others are unharmed.
  case undecodableValue(URL, key: String, type: String, reason: String)

  /// A value for one key of a suite is not what JSON can hold.
  case unencodableValue(URL, key: String, type: String, reason: String)

  /// The body of an update wrote or updated the very file that it was called for.
  case nestedUpdate(URL)

  /// The file was opened to be closed when the contents of its scope are swapped, and they were.
  case closedBySwap(URL)

  /// The file system does not allow it.
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
      default: .inaccessible(error)
      }
  }

  /// Whether a foreign writer who is about to finish can be the reason.
  var mayPassSoon: Bool {
    switch self {
    case .empty, .undecodable, .missing: true
    default: false
    }
  }

  /// Whether the content of the file is the reason, and not that it cannot be read.
  var isAboutContent: Bool {
    switch self {
    case .empty, .undecodable, .contentTooLarge, .newerVersion, .olderVersion, .migrationFailed: true
    default: false
    }
  }

  /// Whether a file can be opened in spite of the error: there is something at its path, or may be, that can become
  /// right.
  var allowsOpening: Bool {
    switch self {
    case .empty, .undecodable, .contentTooLarge, .missing, .newerVersion, .olderVersion, .migrationFailed: true
    case .inaccessible(.permissionDenied): true
    default: false
    }
  }
}

extension AppGroupsFileError: CustomStringConvertible, LocalizedError {
  /// What happened, where, why, and what to do.
  public var description: String {
    switch self {
    case .invalidName(let name, let reason):
      "\(name.debugDescription) cannot be the name of a shared file: \(reason). Choose a plain name, such as "
        + "\"settings.json\"."
    case .unusableContainer(let error):
      error.description
    case .outsideContainer(let url, let target):
      "\(url.path) is a symbolic link to \(target), outside of the container. Remove the link; to share a file elsewhere, "
        + "open it by its URL."
    case .missing(let url):
      "There is no file at \(url.path). The last value stands; writing creates the file again."
    case .empty(let url):
      "\(url.path) is empty. The last value stands until somebody writes the file; write a value to repair it."
    case .undecodable(let url, let reason):
      "The content of \(url.path) cannot be decoded: \(reason). It is left as it is, because a newer version of the program "
        + "may own it; write a value to replace it."
    case .contentTooLarge(let url, let size, let limit):
      "The content of \(url.path) has \(size) bytes, and at most \(limit) are read. It is left as it is; write a value to "
        + "replace it, or open the file with a larger maximumSize."
    case .newerVersion(let url, let found, let supported):
      "The content of \(url.path) is of version \(found), and this program reads none newer than \(supported). It is left "
        + "as it is; update this program, or overwrite the file if its content may go."
    case .olderVersion(let url, let found, let supported):
      "The content of \(url.path) is of version \(found), and this program reads none older than \(supported). It is left "
        + "as it is; open it with a version of the program that migrates it, or write a value to replace it."
    case .migrationFailed(let url, let from, let to, let reason):
      "The content of \(url.path) could not be migrated from version \(from) to \(to): \(reason). It is left as it is; "
        + "correct the migration, or write a value to replace it."
    case .unencodable(let url, let reason):
      "The value for \(url.path) cannot be encoded: \(reason). The file is unchanged."
    case .valueTooLarge(let url, let size, let limit):
      "The value for \(url.path) takes \(size) bytes, and at most \(limit) are written. The file is unchanged. Store less, "
        + "or open the file with a larger maximumSize in all processes."
    case .undecodableValue(let url, let key, let type, let reason):
      "The value for \(key.debugDescription) in \(url.path) cannot be read as \(type): \(reason). It is left as it is, "
        + "because a newer version of the program may own it; set a value to replace it."
    case .unencodableValue(let url, let key, let type, let reason):
      "The \(type) for \(key.debugDescription) in \(url.path) cannot be encoded: \(reason). The file is unchanged."
    case .nestedUpdate(let url):
      "The body of an update of \(url.path) wrote or updated the same file. Change the body's argument instead."
    case .closedBySwap(let url):
      "The directory around \(url.path) was swapped for another, and the file was opened to be closed then. Open it again."
    case .inaccessible(let error):
      error.description
    case .unobservable(let error):
      error.description
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
