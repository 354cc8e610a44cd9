import CLibrary
public import Foundation

/// An error of observing a file, a directory or a descriptor.
@nonexhaustive
public enum FileObserverError: Error, Hashable, Sendable {
  /// The URL cannot be the path of a file or directory.
  case invalidPath(URL, reason: String)

  /// The directory does not exist.
  ///
  /// It is the observed directory, or the parent of the observed file.
  case notFound(URL)

  /// The path leads to something other than a directory.
  case notADirectory(URL)

  /// The path to observe as a file leads to a directory.
  case isADirectory(URL)

  /// The process has no permission to read the directory.
  case permissionDenied(URL)

  /// The user has reached the system's limit of watched directories, counting all processes.
  case watchLimitReached(limit: Int)

  /// No descriptor is left for watching: the process has too many open files, or the user has too many inotify
  /// instances.
  case descriptorLimitReached

  /// A system call failed in some other way.
  case system(operation: String, path: String, errno: CInt)
}

extension FileObserverError {
  /// Creates the error of a failed system call.
  package init(_ errno: CInt, _ operation: String, _ path: String) {
    let url = URL(fileURLWithPath: path)
    self =
      switch errno {
      case ENOENT: .notFound(url)
      case ENOTDIR: .notADirectory(url)
      case EISDIR: .isADirectory(url)
      case EACCES, EPERM: .permissionDenied(url)
      case ENAMETOOLONG: .invalidPath(url, reason: "it is longer than the file system allows")
      case EMFILE, ENFILE: .descriptorLimitReached
      default: .system(operation: operation, path: path, errno: errno)
      }
  }
}

extension FileObserverError {
  /// A Boolean value that indicates whether the system has run out of watches or descriptors, and the path is valid.
  var isLimit: Bool {
    switch self {
    case .watchLimitReached, .descriptorLimitReached: true
    default: false
    }
  }

  /// A Boolean value that indicates whether a permission is missing.
  var isPermission: Bool {
    if case .permissionDenied = self { true } else { false }
  }
}

extension FileObserverError {
  /// Creates the error of a URL that is invalid or does not lead to a file.
  init(_ error: DurableFileError, _ url: URL) {
    if case .invalidPath(let url, let reason) = error {
      self = .invalidPath(url, reason: reason)
    } else {
      self = .system(operation: "observe", path: url.path, errno: EINVAL)
    }
  }
}

extension FileObserverError: CustomStringConvertible, LocalizedError {
  /// A description of the problem, the path, the cause and the remedy.
  public var description: String {
    switch self {
    case .invalidPath(let url, let reason):
      "\(url.path.debugDescription) cannot be observed: \(reason). Choose another path."
    case .notFound(let url):
      "There is no directory at \(url.path) to observe. Create it first; its files may be created later."
    case .notADirectory(let url):
      "\(url.path) is not a directory. Observe files with FileObserver, or check the path."
    case .isADirectory(let url):
      "\(url.path) is a directory. Observe it with DirectoryObserver."
    case .permissionDenied(let url):
      "No permission to observe \(url.path). The process must be able to read the directory, and to search its parents."
    case .watchLimitReached(let limit):
      "This user has reached the limit of \(limit) watches. Raise fs.inotify.max_user_watches, or observe less."
    case .descriptorLimitReached:
      "No file descriptor is left for observing. Close files, or raise ulimit -n or fs.inotify.max_user_instances."
    case .system(let operation, let path, let errno):
      "Could not \(operation) \(path): \(errorWords(errno)) (errno \(errno))."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
