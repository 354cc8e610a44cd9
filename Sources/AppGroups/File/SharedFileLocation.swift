import FileSignals
import Foundation

/// Where a shared file lies: in a container, which it must not lead out of, or anywhere the user says.
struct SharedFileLocation: Sendable {
  let url: URL

  private let access: FileAccess

  /// The container, if the file lies in one.
  private let container: AppGroupsContainer?

  /// Whose contents may be swapped, and the file and its directories with them.
  private let scope: Scope?

  /// The directories on the way to the file that belong to the container, the innermost first.
  private let directories: [String]

  /// The directory of a container in which its shared files lie, and nothing else, so that nothing else wakes who
  /// watches.
  static let folder = "Files"

  /// A file in a container; its directory is made if need be.
  init(name: String, container: AppGroupsContainer, scope: Scope? = nil) throws(AppGroupsFileError) {
    if let problem = PathComponent.problem(with: name, limit: PathComponent.maximumFileLength) {
      throw .invalidName(name, reason: problem)
    }
    self.container = container
    self.scope = scope
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
    scope = nil
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

  /// Throws if a symbolic link, in place of the file or of a directory on the way to it, leads out of the container, or
  /// to what in it is put away.
  ///
  /// A link to nothing is no danger: nobody writes through it.
  func checkConfinement() throws(AppGroupsFileError) {
    guard let container else { return }
    guard hasLinkedDirectory || Self.isLink(url.path) else { return }
    // Where there is no file, the next write makes one in the directory.
    guard let target = canonicalPath(url.path) ?? directories.first.flatMap(canonicalPath) else { return }
    let isForeign = scope?.foreign.map { Self.isBelow($0.path, target) } ?? false
    guard Self.isBelow(container.containerURL.path, target), !isForeign else {
      throw .outsideContainer(url, target: target)
    }
  }

  private static func isBelow(_ directory: String, _ path: String) -> Bool {
    path.hasPrefix(directory.hasSuffix("/") ? directory : directory + "/")
  }

  /// Whether a directory of the container on the way to the file has become a link.
  ///
  /// Above the container, links have been resolved, and belong to others.
  private var hasLinkedDirectory: Bool { directories.contains(where: Self.isLink) }

  private static func isLink(_ path: String) -> Bool {
    FileStatus(path: path, followsLinks: false)?.kind == .link
  }

  /// Whether what is known of the file is of the contents around it, and not of those that were there before a swap.
  var isFollowed: Bool { scope?.isFollowed ?? true }

  /// The file's content at this moment.
  func read() throws(AppGroupsFileError) -> Data {
    do {
      // A link that leads out of the container is the exception; where it leads is found out only if there is a link at
      // all.
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
      return try lockInNewDirectory()
    } catch {
      throw AppGroupsFileError(error)
    }
  }

  /// Makes the directory of the file, and locks the file.
  ///
  /// If the contents are just being swapped, the directory is not gone but on its way.
  @available(*, noasync)
  private func lockInNewDirectory() throws(AppGroupsFileError) -> ExclusiveFile {
    try Scope.steadily(scope) { () throws(AppGroupsFileError) in
      try makeDirectory()
      do throws(DurableFileError) {
        return try access.lockAnew()
      } catch {
        throw AppGroupsFileError(error)
      }
    }
  }

  /// Waits until nobody else has the file, and locks it while the contents around it are swapped; makes nothing that is
  /// not there.
  ///
  /// - Returns: The locked file, or `nil` if there is nobody whom a lock could keep away.
  @available(*, noasync)
  func lockForSwap() throws(AppGroupsFileError) -> ExclusiveFile? {
    do {
      if !hasLinkedDirectory, let file = try access.lockAgain(isForSwap: true) { return file }
      return try access.lockAnew(isForSwap: true)
    } catch {
      switch error {
      case .reentrantLock, .descriptorLimitReached, .system: throw AppGroupsFileError(error)
      default: return nil
      }
    }
  }
}
