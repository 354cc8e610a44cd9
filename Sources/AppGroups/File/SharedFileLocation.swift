import FileSignals
import Foundation
import Signals

/// The location of a shared file: in a container, out of which it must not lead, or anywhere else.
struct SharedFileLocation: Sendable {
  let url: URL

  private let access: FileAccess

  /// The container; `nil` if the file is not in one.
  private let container: AppGroupsContainer?

  /// The scope whose switches replace the file and its directories; `nil` if there is none.
  let scope: Scope?

  /// The directory of a container that contains its shared files.
  ///
  /// It contains nothing else, so that no other file wakes their observers.
  static let folder = "Files"

  /// Creates the location of a file in a container, and its directory if it is missing.
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
    if scope == nil, let root = try Self.root(switching: url) {
      throw .unusableContainer(.switchedDirectory(url, root: root))
    }
    try makeDirectory()
  }

  /// Creates the location of any file.
  init(url: URL) throws(AppGroupsFileError) {
    let resolved = url.resolvingSymlinksInPath()
    if let root = try Self.root(switching: resolved) {
      throw .unusableContainer(.switchedDirectory(url, root: root))
    }
    self.url = url
    access = FileAccess(url)
    container = nil
    scope = nil
  }

  private static func root(switching url: URL) throws(AppGroupsFileError) -> URL? {
    do throws(DurableFileError) {
      return try SwitchedRoots.root(switching: url)
    } catch {
      throw AppGroupsFileError(error)
    }
  }

  /// Creates the directory of the file, if the file is in a container.
  ///
  /// - Returns: `true` if the directory exists now.
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

  /// A Boolean value that indicates whether the known content belongs to the current contents around the file.
  ///
  /// It is `false` while a switch has not been followed yet.
  var isFollowed: Bool { scope?.isFollowed ?? true }

  /// Reads the content of the file.
  ///
  /// - Parameter limit: The largest size in bytes. A larger file is not read.
  /// - Returns: The content.
  /// - Throws: ``AppGroupsFileError``.
  func read(limit: Int) throws(AppGroupsFileError) -> Data {
    do {
      return try access.read(limit: limit)
    } catch {
      throw AppGroupsFileError(error)
    }
  }

  /// Waits until no other thread or process has the file, and locks it once its scope has followed the latest switch.
  @available(*, noasync)
  func lockFollowing() throws(AppGroupsFileError) -> ExclusiveFile {
    var file = try lock()
    guard let scope else { return file }
    // Other processes may switch the contents one after the other.
    _ = try Backoff.constant(.zero).repeating(within: DirectoryRules.patience(for: url)) {
      () throws(AppGroupsFileError) -> Bool? in
      if scope.isFollowed { return true }
      // The members that follow want the lock, too.
      file.unlock()
      let isFollowed = scope.waitUntilFollowed()
      // The next switch may already have begun.
      file = try lock()
      return isFollowed ? nil : true
    }
    return file
  }

  /// Waits until no other thread or process has the file, and locks it.
  ///
  /// If the file is in a container whose directory is missing, the directory is created again.
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

  /// Creates the directory of the file, and locks the file.
  ///
  /// If the contents are just being switched, the directory is not gone but about to appear.
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

  /// Waits until no other thread or process has the file, and locks it for a switch of the contents around it.
  ///
  /// Nothing that is missing is created.
  ///
  /// - Parameter patience: The longest time to wait, or `nil` for the limit of the directory.
  /// - Returns: The locked file, or `nil` if there is no place for a lock, and so no writer to keep out.
  /// - Throws: ``AppGroupsFileError``.
  @available(*, noasync)
  func lockForSwitch(within patience: Duration?) throws(AppGroupsFileError) -> ExclusiveFile? {
    do {
      if let file = try access.lockAgain(isForSwitch: true, limit: patience) { return file }
      return try access.lockAnew(isForSwitch: true, limit: patience)
    } catch {
      switch error {
      case .reentrantLock, .descriptorLimitReached, .lockTimeout, .suspended, .system: throw AppGroupsFileError(error)
      default: return nil
      }
    }
  }
}
