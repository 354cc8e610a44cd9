package import Foundation
import Signals

/// Access to one file that is read and locked repeatedly.
///
/// The files that locking needs stay open for a moment, because a process that writes a file often writes it again
/// soon; see ``OpenPlaces``. Each time the lock is acquired, the path is checked again.
package final class FileAccess: Sendable {
  private let url: URL

  /// The directory that the file must not lead out of.
  private let confinement: FileConfinement?

  /// The URL's path, stored because computing it takes a while.
  private let path: Result<String, DurableFileError>

  /// The directory of the file, and its name in it, if the directory is directly in the confinement's root.
  private let direct: (directory: String, name: String)?

  private struct State {
    var place: FilePlace?
    var isUsed = false
  }

  private let state = Guarded(State())

  /// Creates access to a file, without opening anything.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - confinement: The directory that it must not lead out of, whatever links there are.
  package init(_ url: URL, within confinement: FileConfinement? = nil) {
    self.url = url
    self.confinement = confinement
    path = Result { () throws(DurableFileError) in try FileLocation.validPath(of: url) }
    direct = confinement.flatMap { [path] confinement in
      guard case .success(let path) = path else { return nil }
      let (directory, name) = FileLocation.split(path)
      return confinement.canOpenDirectly(directory) ? (directory, name) : nil
    }
  }

  deinit {
    OpenPlaces.shared.forget(self)
  }

  /// Returns the content of the file.
  ///
  /// - Parameter limit: The maximum number of bytes. Nothing is read from a larger file.
  /// - Returns: The content.
  /// - Throws: ``DurableFileError``.
  package func read(limit: Int) throws(DurableFileError) -> Data {
    let path = try path.get()
    guard let confinement else { return try FileReader.read(path, limit: limit, url: url) }
    if let direct, let directory = confinement.openDirectly(direct.directory) {
      do {
        return try FileReader.read(direct.name, in: directory.number, followsLinks: false, limit: limit, url: url)
      } catch .linkLoop {
        // The file is a link, which may stay in the root.
      }
    }
    var (directory, name) = FileLocation.split(path)
    // Other programs may change the link between the two steps.
    let data = try FileLock.waiting.repeating(within: DirectoryRules.patience(for: url)) {
      () throws(DurableFileError) -> Data? in
      if let data = try content(of: name, in: directory, within: confinement, limit: limit) { return data }
      let location = try FileLocation(resolving: url, within: confinement)
      (directory, name) = (location.directory, location.name)
      return try content(of: name, in: directory, within: confinement, limit: limit)
    }
    guard let data else { throw .notARegularFile(url, kind: FileStatus.Kind.link.rawValue) }
    return data
  }

  /// Returns the content of a file in a directory, or `nil` if it is a link.
  private func content(
    of name: String, in directory: String, within confinement: FileConfinement, limit: Int
  ) throws(DurableFileError) -> Data? {
    guard let opened = try confinement.open(directory, for: name, of: url) else {
      throw DurableFileError(errno, "read", url)
    }
    do {
      return try FileReader.read(name, in: opened.directory.number, followsLinks: false, limit: limit, url: url)
    } catch .linkLoop {
      return nil
    }
  }

  /// Acquires the file's lock through the files that are still open from the last time, if the path still leads to
  /// them.
  ///
  /// - Parameters:
  ///   - isForSwitch: A Boolean value that indicates whether the contents around the file are about to be switched.
  ///   - limit: The longest time to wait, or `nil` for the limit of the directory.
  /// - Returns: The locked file, or `nil` if ``lockAnew(isForSwitch:limit:)`` must resolve the path again.
  /// - Throws: ``DurableFileError``.
  @available(*, noasync)
  package func lockAgain(
    isForSwitch: Bool = false, limit: Duration? = nil
  ) throws(DurableFileError) -> ExclusiveFile? {
    let place = state.withLock {
      $0.isUsed = true
      return $0.place
    }
    guard let place else { return nil }
    let file = try ExclusiveFile(locking: place, isForSwitch: isForSwitch, limit: limit)
    if file == nil { release(place) }
    return file
  }

  /// Resolves the path and acquires the file's lock.
  ///
  /// - Parameters:
  ///   - isForSwitch: A Boolean value that indicates whether the contents around the file are about to be switched.
  ///   - limit: The longest time to wait, or `nil` for the limit of the directory.
  /// - Returns: The locked file.
  /// - Throws: ``DurableFileError``.
  @available(*, noasync)
  package func lockAnew(
    isForSwitch: Bool = false, limit: Duration? = nil
  ) throws(DurableFileError) -> ExclusiveFile {
    let file = try ExclusiveFile(locking: url, within: confinement, isForSwitch: isForSwitch, limit: limit)
    let place = file.place
    state.withLock { $0 = State(place: place, isUsed: true) }
    OpenPlaces.shared.keep(self)
    return file
  }

  private func release(_ stale: FilePlace) {
    state.withLock {
      if $0.place === stale { $0.place = nil }
    }
  }

  /// Closes the open files, unless they have been used since the last call.
  ///
  /// If `isForced` is `true`, closes them in any case.
  ///
  /// - Returns: `true` if nothing is open any more.
  func close(isForced: Bool) -> Bool {
    // Closed after the lock has been released.
    var isClosed = isForced
    state.replace { state -> FilePlace? in
      if !exchange(&state.isUsed, with: false) { isClosed = true }
      return isClosed ? state.place.take() : nil
    }
    return isClosed
  }
}
