import CLibrary
public import Foundation
public import Signals

/// An error of reading, writing or locking a file.
///
/// Each case contains the file, and ``description`` adds the cause and a remedy. Unless a method documents an
/// exception, the file then has its old content, and no temporary file is left behind.
@nonexhaustive
public enum DurableFileError: Error, Hashable, Sendable {
  /// The URL cannot be the path of a file.
  case invalidPath(URL, reason: String)

  /// The file does not exist.
  case notFound(URL)

  /// The directory that should hold the file does not exist, or is not a directory.
  case directoryNotFound(URL)

  /// The file already exists and must not be overwritten.
  case alreadyExists(URL)

  /// The path leads to something other than a regular file, which `kind` describes.
  case notARegularFile(URL, kind: String)

  /// The path leads to something other than a directory, which `kind` describes.
  case notADirectory(URL, kind: String)

  /// The file has `size` bytes, which is more than the limit for reading.
  case exceedsLimit(URL, size: Int, limit: Int)

  /// The path leads through a symbolic link to `target`, outside the directory to which it is confined.
  case outsideRoot(URL, target: String)

  /// The path is a symbolic link whose target does not exist.
  case danglingLink(URL)

  /// The path leads through a cycle of symbolic links.
  case linkLoop(URL)

  /// The process has no permission for the operation.
  case permissionDenied(URL, operation: String)

  /// The file system is mounted read-only.
  case readOnlyFileSystem(URL)

  /// The disk is full, or the user's quota is exhausted.
  case diskFull(URL)

  /// The content exceeds the maximum file size of this process or this file system.
  case fileTooLarge(URL)

  /// The process has reached its limit of open files.
  case descriptorLimitReached(URL)

  /// The thread already holds the file's lock, so it would wait for itself.
  case reentrantLock(URL)

  /// Another thread or process held the file's lock for as long as the caller was willing to wait.
  ///
  /// The holder is `nil` if the system does not name it.
  case lockTimeout(URL, after: Duration, holder: LockHolder?)

  /// This process is suspended in a directory that contains the file, and must hold no lock there.
  case suspended(URL)

  /// A system call failed in some other way.
  case system(operation: String, path: String, errno: CInt)
}

extension DurableFileError {
  /// Creates the error of a failed system call.
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
  /// A description of the failed operation, the file, the cause and the remedy.
  public var description: String {
    switch self {
    case .invalidPath(let url, let reason):
      "\(Self.printable(url)) cannot be the path of a file: \(reason). Choose another name."
    case .notFound(let url):
      "There is no file at \(url.path). Create it first, or check the path."
    case .directoryNotFound(let url):
      "There is no directory at \(url.path). Create it before writing or locking files in it."
    case .alreadyExists(let url):
      "Could not create \(url.path): the file already exists. Open it instead, or remove it first."
    case .notARegularFile(let url, let kind):
      "\(url.path) is \(kind), not a regular file. Move it away, or choose another path."
    case .notADirectory(let url, let kind):
      "\(url.path) is \(kind), not a directory. Move it away, or choose another path."
    case .exceedsLimit(let url, let size, let limit):
      "Could not read \(url.path): its \(size) bytes exceed the limit of \(limit). Replace the content, or raise the limit."
    case .outsideRoot(let url, let target):
      "\(url.path) leads through a symbolic link to \(target), outside its directory. Remove the link."
    case .danglingLink(let url):
      "\(url.path) is a symbolic link whose target does not exist. Create the target, or remove the link."
    case .linkLoop(let url):
      "\(url.path) leads through a cycle of symbolic links. Remove one of the links."
    case .permissionDenied(let url, let operation):
      "No permission to \(operation) \(url.path). Check the owner and mode of the file and of its directory."
    case .readOnlyFileSystem(let url):
      "Could not write \(url.path): its file system is mounted read-only. Choose a writable location."
    case .diskFull(let url):
      "No space is left to write \(url.path); its old content is unchanged. Free some space and write again."
    case .fileTooLarge(let url):
      "Could not write \(url.path): the content exceeds the file size limit; the old content is unchanged. Raise the limit or "
        + "write less."
    case .descriptorLimitReached(let url):
      "Could not open \(url.path): too many open files. Close some, or raise the limit (ulimit -n)."
    case .reentrantLock(let url):
      "This thread already holds the lock of \(url.path). Move the work into the outer call, or after it."
    case .lockTimeout(let url, let limit, let holder):
      "Could not lock \(url.path): \(holder?.description ?? "another process") has held its lock for \(limit). If that "
        + "process is stopped, continue or end it."
    case .suspended(let url):
      "Could not lock \(url.path): this process is suspended in its directory. Try again after it is resumed."
    case .system(let operation, let path, let errno):
      "Could not \(operation) \(path): \(errorWords(errno)) (errno \(errno))."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }

  /// Returns the path with characters escaped that would end or garble a line of text.
  private static func printable(_ url: URL) -> String {
    url.path.debugDescription
  }
}

// Here, because `Signals` does not use Foundation.
extension WriteConflict: LocalizedError {
  /// The same as `description`.
  public var errorDescription: String? { description }
}
