public import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Why something cannot be observed.
public enum FileObserverError: Error, Hashable, Sendable {
  /// The URL names no file or directory that could exist.
  case invalidPath(URL, reason: String)

  /// The directory does not exist: the observed one, or the one that should hold the observed file.
  case notFound(URL)

  /// What should be a directory is something else.
  case notADirectory(URL)

  /// The process may not read the directory.
  case permissionDenied(URL)

  /// The user watches as many directories as the system allows, in all processes together.
  case watchLimitReached(limit: Int)

  /// No descriptor is left to watch with: the process has too many files open, or the user too many inotify instances.
  case descriptorLimitReached

  /// A system call failed in some other way.
  case system(operation: String, path: String, errno: CInt)
}

extension FileObserverError {
  /// Makes the error of a failed system call.
  package init(_ errno: CInt, _ operation: String, _ path: String) {
    let url = URL(fileURLWithPath: path)
    self =
      switch errno {
      case ENOENT: .notFound(url)
      case ENOTDIR: .notADirectory(url)
      case EACCES, EPERM: .permissionDenied(url)
      case ENAMETOOLONG: .invalidPath(url, reason: "it is longer than the file system allows")
      case EMFILE, ENFILE: .descriptorLimitReached
      default: .system(operation: operation, path: path, errno: errno)
      }
  }
}

extension FileObserverError {
  /// Whether nothing is wrong with the path: the system only allows no more watches.
  var isLimit: Bool {
    switch self {
    case .watchLimitReached, .descriptorLimitReached: true
    default: false
    }
  }

  /// Whether it is for want of a permission.
  var isPermission: Bool {
    if case .permissionDenied = self { true } else { false }
  }
}

extension FileObserverError {
  /// Makes the error of a URL that names no file, or that leads to none.
  init(_ error: DurableFileError, _ url: URL) {
    if case .invalidPath(let url, let reason) = error {
      self = .invalidPath(url, reason: reason)
    } else {
      self = .system(operation: "observe", path: url.path, errno: EINVAL)
    }
  }
}

extension FileObserverError: CustomStringConvertible, LocalizedError {
  /// What happened, where, why, and what to do.
  public var description: String {
    switch self {
    case .invalidPath(let url, let reason):
      "\(url.path.debugDescription) cannot be observed: \(reason). Choose another path."
    case .notFound(let url):
      "There is no directory at \(url.path) to observe. Create it first; files in it may come later."
    case .notADirectory(let url):
      "\(url.path) is not a directory. Observe files with FileObserver, or check the path."
    case .permissionDenied(let url):
      "No permission to observe \(url.path). The process must be able to read the directory and to search those above."
    case .watchLimitReached(let limit):
      "The limit of \(limit) watches for this user is reached. Raise fs.inotify.max_user_watches, or observe less."
    case .descriptorLimitReached:
      "No descriptor is left to observe with. Close files, or raise ulimit -n or fs.inotify.max_user_instances."
    case .system(let operation, let path, let errno):
      "Could not \(operation) \(path): \(errorWords(errno)) (errno \(errno))."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
