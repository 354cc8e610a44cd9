import FileSignals
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Where a shared file lies: in a container, which it must not lead out of, or anywhere the user says.
struct SharedFileLocation: Sendable {
  let url: URL

  private let access: FileAccess

  /// The container, if the file lies in one.
  private let container: AppGroupsContainer?

  /// The directories on the way to the file that belong to the container, the innermost first.
  private let directories: [String]

  /// The directory of a container in which its shared files lie, and nothing else, so that nothing else wakes who watches.
  static let folder = "Files"

  /// How long a name may be, in bytes, so that those of its lock and temporary file fit too.
  static let maximumNameLength = 200

  /// A file in a container; its directory is made if need be.
  init(name: String, container: AppGroupsContainer) throws(AppGroupsFileError) {
    if let problem = PathComponent.problem(with: name, limit: Self.maximumNameLength) {
      throw .invalidName(name, reason: problem)
    }
    self.container = container
    let root = container.containerURL.path
    directories = ["\(root)/\(Self.folder)", root]
    url = container.containerURL
      .appending(path: Self.folder, directoryHint: .isDirectory)
      .appending(path: name, directoryHint: .notDirectory)
    access = FileAccess(url)
    try makeDirectory()
    try checkConfinement()
  }

  /// A file anywhere.
  init(url: URL) {
    self.url = url
    access = FileAccess(url)
    container = nil
    directories = []
  }

  /// Makes the directory in which the file lies, if that is for us to make.
  ///
  /// - Returns: Whether there is such a directory now.
  @discardableResult
  func makeDirectory() throws(AppGroupsFileError) -> Bool {
    guard let container else { return false }
    do {
      _ = try GroupDirectory.make(Self.folder, in: GroupDirectory.make(container.containerURL))
      return true
    } catch {
      throw .unusableContainer(error)
    }
  }

  /// Throws if a symbolic link, in place of the file or of a directory on the way to it, leads out of the container.
  ///
  /// A link to nothing is no danger: nobody writes through it.
  func checkConfinement() throws(AppGroupsFileError) {
    guard let container else { return }
    guard hasLinkedDirectory || Self.isLink(url.path) else { return }
    // Where there is no file, the next write makes one in the directory.
    let resolved = realpath(url.path, nil) ?? directories.first.flatMap { realpath($0, nil) }
    guard let resolved else { return }
    defer { free(resolved) }
    let root = container.containerURL.path
    let target = String(cString: resolved)
    guard target.hasPrefix(root.hasSuffix("/") ? root : root + "/") else {
      throw .outsideContainer(url, target: target)
    }
  }

  /// Whether a directory of the container on the way to the file has become a link.
  ///
  /// Above the container, links have been resolved, and belong to others.
  private var hasLinkedDirectory: Bool { directories.contains(where: Self.isLink) }

  private static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// The file's content at this moment.
  func read() throws(AppGroupsFileError) -> Data {
    do {
      // A link that leads out of the container is the exception; where it leads is found out only if there is a link at all.
      if !hasLinkedDirectory, let data = try access.read(followsLinks: container == nil) { return data }
    } catch {
      throw AppGroupsFileError(error)
    }
    try checkConfinement()
    do {
      return try access.read(followsLinks: true) ?? Data()
    } catch {
      throw AppGroupsFileError(error)
    }
  }

  /// Waits until nobody else has the file, and locks it; makes its directory again if that is gone and ours to make.
  @available(*, noasync)
  func lock() throws(AppGroupsFileError) -> ExclusiveFile {
    do {
      if !hasLinkedDirectory, let file = try access.lockAgain() { return file }
    } catch {
      throw AppGroupsFileError(error)
    }
    try checkConfinement()
    do {
      return try access.lockAnew()
    } catch .directoryNotFound where container != nil {
      try makeDirectory()
    } catch {
      throw AppGroupsFileError(error)
    }
    do {
      return try access.lockAnew()
    } catch {
      throw AppGroupsFileError(error)
    }
  }
}
