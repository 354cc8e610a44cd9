import FileSignals
import Foundation

/// Where a shared file lies: in a container, which it must not lead out of, or anywhere the user says.
struct SharedFileLocation: Sendable {
  let url: URL

  private let access: FileAccess

  /// The container, if the file lies in one.
  private let container: AppGroupsContainer?

  /// Whose contents may be swapped, and the file and its directories with them.
  let scope: Scope?

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
    url = container.containerURL
      .appending(path: Self.folder, directoryHint: .isDirectory)
      .appending(path: name, directoryHint: .notDirectory)
    access = FileAccess(url, within: FileConfinement(to: container.containerURL, except: scope?.foreign))
    if scope == nil, let root = SwitchedRoots.root(switching: url) {
      throw .unusableContainer(.switchedDirectory(url, root: root))
    }
    try makeDirectory()
  }

  /// A file anywhere.
  init(url: URL) throws(AppGroupsFileError) {
    let resolved = url.resolvingSymlinksInPath()
    if let root = SwitchedRoots.root(switching: resolved) {
      throw .unusableContainer(.switchedDirectory(url, root: root))
    }
    self.url = url
    access = FileAccess(url)
    container = nil
    scope = nil
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

  /// Whether what is known of the file is of the contents around it, and not of those that were there before a swap.
  var isFollowed: Bool { scope?.isFollowed ?? true }

  /// The file's content at this moment.
  ///
  /// - Parameter limit: How many bytes it may have; of more, none is read.
  /// - Returns: The content.
  /// - Throws: ``AppGroupsFileError``.
  func read(limit: Int) throws(AppGroupsFileError) -> Data {
    do {
      return try access.read(limit: limit)
    } catch {
      throw AppGroupsFileError(error)
    }
  }

  /// Waits until no one else has the file, and locks it once the members of its scope show the contents around it.
  @available(*, noasync)
  func lockFollowing() throws(AppGroupsFileError) -> ExclusiveFile {
    let file = try lock()
    guard let scope, !scope.isFollowed else { return file }
    // Those who follow want the lock, too.
    file.unlock()
    _ = scope.waitUntilFollowed()
    return try lock()
  }

  /// Waits until nobody else has the file, and locks it; makes its directory again if that is gone and ours to make.
  @available(*, noasync)
  func lock() throws(AppGroupsFileError) -> ExclusiveFile {
    do {
      if let file = try access.lockAgain() { return file }
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
      if let file = try access.lockAgain(isForSwap: true) { return file }
      return try access.lockAnew(isForSwap: true)
    } catch {
      switch error {
      case .reentrantLock, .descriptorLimitReached, .system: throw AppGroupsFileError(error)
      default: return nil
      }
    }
  }
}
