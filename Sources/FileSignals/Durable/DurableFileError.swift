public import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Why a file could not be read, written or locked.
///
/// Each case names the file; ``description`` adds the cause in words and what can be done about it. Whatever is thrown,
/// the file has its old content, and nothing is left beside it.
public enum DurableFileError: Error, Hashable, Sendable {
  /// The URL names no file that could exist.
  case invalidPath(URL, reason: String)

  /// There is no such file.
  case notFound(URL)

  /// The directory that should hold the file does not exist, or is not a directory.
  case directoryNotFound(URL)

  /// There is a file already, and it was not to be overwritten.
  case alreadyExists(URL)

  /// The path leads to something other than a regular file; `kind` says what it is.
  case notARegularFile(URL, kind: String)

  /// There is something other than a directory where one is needed; `kind` says what it is.
  case notADirectory(URL, kind: String)

  /// The file has `size` bytes, and no more than `limit` are read.
  case exceedsLimit(URL, size: Int, limit: Int)

  /// The path leads through a symbolic link to `target`, outside of the directory that it must stay in.
  case outsideRoot(URL, target: String)

  /// The path is a symbolic link that leads nowhere.
  case danglingLink(URL)

  /// The path leads through symbolic links in a circle.
  case linkLoop(URL)

  /// The process has no permission for the operation.
  case permissionDenied(URL, operation: String)

  /// The file system is mounted read-only.
  case readOnlyFileSystem(URL)

  /// The disk, or the user's share of it, is full.
  case diskFull(URL)

  /// The content is larger than a file may be, for this process or on this file system.
  case fileTooLarge(URL)

  /// The process has as many open files as it may have.
  case descriptorLimitReached(URL)

  /// The thread holds the file's lock already, and would have waited for itself.
  case reentrantLock(URL)

  /// Another thread or process has held the file's lock for the whole time that the caller would wait.
  case lockTimeout(URL, after: Duration)

  /// A system call failed in some other way.
  case system(operation: String, path: String, errno: CInt)
}

extension DurableFileError {
  /// Makes the error of a failed system call.
  package init(_ errno: CInt, _ operation: String, _ url: URL) {
    self =
      switch errno {
      case ENOENT: .notFound(url)
      case ENOTDIR: .directoryNotFound(url.deletingLastPathComponent())
      case EEXIST: .alreadyExists(url)
      case EISDIR: .notARegularFile(url, kind: FileStatus.Kind.directory.rawValue)
      case ENXIO: .notARegularFile(url, kind: FileStatus.Kind.socket.rawValue)
      case ELOOP: .linkLoop(url)
      case ENAMETOOLONG: .invalidPath(url, reason: "it is longer than the file system allows")
      case EACCES, EPERM: .permissionDenied(url, operation: operation)
      case EROFS: .readOnlyFileSystem(url)
      case ENOSPC, EDQUOT: .diskFull(url)
      case EFBIG: .fileTooLarge(url)
      case EMFILE, ENFILE: .descriptorLimitReached(url)
      default: .system(operation: operation, path: url.path, errno: errno)
      }
  }
}

extension DurableFileError: CustomStringConvertible, LocalizedError {
  /// What happened, where, why, and what to do.
  public var description: String {
    switch self {
    case .invalidPath(let url, let reason):
      "\(Self.printable(url)) cannot be the path of a file: \(reason). Choose another name."
    case .notFound(let url):
      "There is no file at \(url.path). Create it first, or check the path."
    case .directoryNotFound(let url):
      "There is no directory at \(url.path). Create it before writing or locking files in it."
    case .alreadyExists(let url):
      "There is a file at \(url.path) already, and it was to be created. Open it instead, or remove it first."
    case .notARegularFile(let url, let kind):
      "\(url.path) is \(kind), not a regular file. Move it away, or choose another path."
    case .notADirectory(let url, let kind):
      "\(url.path) is \(kind), and a directory is needed there. Move it away."
    case .exceedsLimit(let url, let size, let limit):
      "\(url.path) has \(size) bytes, and at most \(limit) are read. Replace the content, or raise the limit."
    case .outsideRoot(let url, let target):
      "\(url.path) leads through a symbolic link to \(target), outside of its directory. Remove the link."
    case .danglingLink(let url):
      "\(url.path) is a symbolic link to something that does not exist. Create what it points to, or remove the link."
    case .linkLoop(let url):
      "\(url.path) leads through symbolic links in a circle. Remove one of the links."
    case .permissionDenied(let url, let operation):
      "No permission to \(operation) \(url.path). Check the owner and mode of the file and of its directory."
    case .readOnlyFileSystem(let url):
      "\(url.path) lies on a file system that is mounted read-only. Choose a place that can be written."
    case .diskFull(let url):
      "No space is left to write \(url.path); its old content is untouched. Free some space and write again."
    case .fileTooLarge(let url):
      "The content is larger than \(url.path) may be; its old content is untouched. Raise the limit or write less."
    case .descriptorLimitReached(let url):
      "Too many open files to open \(url.path). Close some, or raise the limit (ulimit -n)."
    case .reentrantLock(let url):
      "This thread holds the lock of \(url.path) already. Do everything inside the outer call, or after it."
    case .lockTimeout(let url, let limit):
      "Could not lock \(url.path): another process has held its lock for \(limit). Continue or end that process if it is "
        + "stopped."
    case .system(let operation, let path, let errno):
      "Could not \(operation) \(path): \(errorWords(errno)) (errno \(errno))."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }

  /// The path with nothing in it that would end or garble a line of text.
  private static func printable(_ url: URL) -> String {
    url.path.debugDescription
  }
}
