import FileSignals
import Foundation
import Signals

/// Locations of shared files: in a container, out of which a file must not lead, or anywhere else.
extension FileLocation {
  /// The directory of a container that contains its shared files.
  ///
  /// It contains nothing else, so that no other file wakes their observers.
  static let filesFolder = "Files"

  /// Creates the location of a file in a container, and its directory if it is missing and not in a scope.
  convenience init(
    name: String, container: AppGroupsContainer, scope: Scope? = nil
  ) throws(AppGroupsFileError) {
    if let problem = PathComponent.problem(with: name, limit: PathComponent.maximumFileLength) {
      throw .invalidName(name, reason: problem)
    }
    let url = container.containerURL
      .appending(path: Self.filesFolder, directoryHint: .isDirectory)
      .appending(path: name, directoryHint: .notDirectory)
    self.init(url, within: FileConfinement(to: container.containerURL, except: scope?.foreign))
    // In a scope, the directory is created while the contents are not being switched.
    guard scope == nil else { return }
    try checkNotSwitched(url)
    try makeDirectory()
  }

  /// Creates the location of a file in a root whose contents may be switched.
  convenience init(name: String, scope: Scope) throws(AppGroupsFileError) {
    let container = try Scope.steadily(scope) { () throws(AppGroupsFileError) in
      try translating(AppGroupsContainer(directory: scope.root), by: AppGroupsFileError.unusableContainer)
    }
    try self.init(name: name, container: container, scope: scope)
  }

  /// Creates the location of any file.
  convenience init(anywhere url: URL) throws(AppGroupsFileError) {
    self.init(url)
    try checkNotSwitched(url.resolvingSymlinksInPath())
  }

  /// Throws an error if another owner switches the directory of a file.
  private func checkNotSwitched(_ resolved: URL) throws(AppGroupsFileError) {
    if let root = try translating(SwitchedRoots.root(switching: resolved), by: AppGroupsFileError.init) {
      throw .unusableContainer(.switchedDirectory(url, root: root))
    }
  }

  /// Creates the directory of the file, if the file is in a container.
  ///
  /// - Returns: `true` if the directory exists now.
  @discardableResult
  func makeDirectory() throws(AppGroupsFileError) -> Bool {
    guard isConfined else { return false }
    let container = url.deletingLastPathComponent().deletingLastPathComponent()
    do {
      _ = try GroupDirectory.make(Self.filesFolder, in: GroupDirectory.make(container))
      return true
    } catch {
      throw .unusableContainer(error)
    }
  }

  /// Waits until no other thread or process has the file, and locks it once its scope has followed the latest switch.
  @available(*, noasync)
  ///
  /// - Parameters:
  ///   - scope: The scope whose switches are followed first.
  ///   - limit: The longest time to wait, or `nil` for the limit of the directory.
  ///   - isVouchedFor: A closure that returns, with the lock held, whether the path is known to lead to the open files.
  /// - Returns: The locked file.
  func lock(
    following scope: Scope?, limit: Duration? = nil, isVouchedFor: (FileDescriptors) -> Bool = { _ in false }
  ) throws(AppGroupsFileError) -> ExclusiveFile {
    var file = try lockMakingDirectory(in: scope, limit, isVouchedFor)
    guard let scope else { return file }
    // Other processes may switch the contents one after the other.
    _ = try Backoff.constant(.zero).repeating(within: DirectoryRules.patience(for: url)) {
      () throws(AppGroupsFileError) -> Bool? in
      if scope.isFollowed { return true }
      // The members that follow want the lock, too.
      file.unlock()
      let isFollowed = scope.waitUntilFollowed()
      // The next switch may already have begun.
      file = try lockMakingDirectory(in: scope, limit, isVouchedFor)
      return isFollowed ? nil : true
    }
    return file
  }

  /// Waits until no other thread or process has the file, and locks it.
  ///
  /// If the file is in a container whose directory is missing, the directory is created again. If the contents are just
  /// being switched, the directory is not gone but about to appear.
  @available(*, noasync)
  func lockMakingDirectory(
    in scope: Scope?, _ limit: Duration? = nil, _ isVouchedFor: (FileDescriptors) -> Bool = { _ in false }
  ) throws(AppGroupsFileError) -> ExclusiveFile {
    do {
      return try lock(limit: limit, isVouchedFor: isVouchedFor)
    } catch .directoryNotFound where isConfined {
      return try Scope.steadily(scope) { () throws(AppGroupsFileError) in
        try makeDirectory()
        return try translating(lock(limit: limit), by: AppGroupsFileError.init)
      }
    } catch {
      throw AppGroupsFileError(error)
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
      return try lock(isForSwitch: true, limit: patience)
    } catch {
      switch error {
      case .reentrantLock, .descriptorLimitReached, .lockTimeout, .suspended, .system: throw AppGroupsFileError(error)
      default: return nil
      }
    }
  }
}
