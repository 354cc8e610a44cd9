import CLibrary
package import Foundation

/// Removal of locks.
///
/// A thread that acquires a lock checks that its sidecar is still the one at the path (``FileDescriptors/isCurrent``),
/// and otherwise starts again with the new one. A removed sidecar therefore never counts as the lock of the file.
extension ExclusiveFile {
  /// Removes the lock itself and the temporary file of a killed writer, and unlocks.
  func removeLock() {
    guard isLocked else { return }
    unlinkat(descriptors.folder.number, descriptors.temporaryName, 0)
    // Before the lock: whoever appends to the journal relies on it to know that the lock is in place.
    removeJournal()
    unlinkat(descriptors.folder.number, descriptors.lockName, 0)
    unlock()
  }

  /// Removes the file, if there is one, and then its lock.
  func remove() throws(DurableFileError) {
    // The lock is removed last, because it gives the right to touch the file.
    guard unlinkat(descriptors.directory.number, descriptors.name, 0) == 0 || errno == ENOENT else {
      throw DurableFileError(errno, "remove", descriptors.url)
    }
    removeLock()
  }
}

extension FileDescriptors {
  /// Invalidates the lock of the process that holds it, so that the next process creates a new one.
  ///
  /// The holder finds that ``isCurrent`` is `false`. The caller ensures that no other process calls this method, or
  /// relies on ``isCurrent``, at the same time.
  ///
  /// - Throws: ``DurableFileError`` if it is unknown whether the lock is the one at the path.
  package func breakLock() throws(DurableFileError) {
    guard try isCurrent else { return }
    unlinkat(folder.number, lockName, 0)
  }
}

extension DurableFile {
  /// Removes a file, if there is one, together with its lock.
  ///
  /// - Parameter url: The file, which must not be a symbolic link; its directory must exist.
  /// - Throws: ``DurableFileError``; the file then still exists.
  @available(*, noasync, message: "It may wait for another process")
  package static func remove(_ url: URL) throws(DurableFileError) {
    try ExclusiveFile(locking: url).remove()
  }

  /// Removes the locks in a directory whose files no longer exist, and the temporary files of their killed writers.
  ///
  /// The call never waits for another process. A lock that is held or cannot be removed stays.
  ///
  /// - Parameter directory: The directory.
  /// - Throws: The first ``DurableFileError``, after all other locks have been removed.
  package static func removeUnusedLocks(in directory: URL) throws(DurableFileError) {
    let folder = directory.appending(path: FileLocation.sharedFolder, directoryHint: .isDirectory)
    let journals = folder.appending(path: JournalFile.folder, directoryHint: .isDirectory)
    let names =
      (try DirectoryListing.names(in: folder) ?? []).compactMap { name in
        name.without(ending: ".lock") ?? name.without(ending: ".tmp")
      } + (try DirectoryListing.names(in: journals) ?? [])
    var failure: DurableFileError?
    for name in Set(names) where !name.isEmpty {
      do throws(DurableFileError) {
        try removeUnusedLock(of: directory.appending(path: name, directoryHint: .notDirectory))
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  private static func removeUnusedLock(of url: URL) throws(DurableFileError) {
    if try FileStatus(path: url.path, followsLinks: false) != nil { return }
    // The process that holds the lock may be stopped.
    guard case .locked(let file) = try ExclusiveFile.lock(url, within: .zero) else { return }
    // Another process may have created the file since.
    if try !file.exists() { file.removeLock() }
  }
}
