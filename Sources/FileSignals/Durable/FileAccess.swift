package import Foundation
import Signals

/// Reads and locks one file, again and again.
///
/// What has to be open in order to lock it stays open for a moment, because whoever writes a file often does so again
/// soon; see ``OpenPlaces``. Whether the path still leads there is found out each time, with the lock held.
package final class FileAccess: Sendable {
  private let url: URL

  /// What the file must not lead out of.
  private let confinement: FileConfinement?

  /// The URL's path, which takes a while to find out.
  private let path: Result<String, DurableFileError>

  private struct State {
    var place: FilePlace?
    var isUsed = false
  }

  private let state = Guarded(State())

  /// Makes access to a file; nothing is looked at or opened yet.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - confinement: What it must not lead out of, whatever links there are.
  package init(_ url: URL, within confinement: FileConfinement? = nil) {
    self.url = url
    self.confinement = confinement
    path = Result { () throws(DurableFileError) in try FileLocation.validPath(of: url) }
  }

  deinit {
    OpenPlaces.shared.forget(self)
  }

  /// The file's content.
  ///
  /// - Parameter limit: How many bytes it may have; of more, none is read.
  /// - Returns: The content.
  /// - Throws: ``DurableFileError``.
  package func read(limit: Int) throws(DurableFileError) -> Data {
    let path = try path.get()
    guard let confinement else { return try FileReader.read(path, limit: limit, url: url) }
    var (directory, name) = FileLocation.split(path)
    for _ in 0..<FileConfinement.attempts {
      guard let opened = try confinement.open(directory, for: name, of: url) else {
        throw DurableFileError(errno, "read", url)
      }
      let number = opened.directory.number
      do {
        return try FileReader.read(name, in: number, followsLinks: false, limit: limit, url: url)
      } catch .linkLoop {
        let location = try FileLocation(resolving: url, within: confinement)
        (directory, name) = (location.directory, location.name)
      }
    }
    throw .notARegularFile(url, kind: FileStatus.Kind.link.rawValue)
  }

  /// Waits until nobody else has the file, and locks it, if it was locked a moment ago and is still where it was then.
  ///
  /// - Parameter isForSwap: Whether the contents around the file are about to be swapped.
  /// - Returns: The locked file, or `nil` if ``lockAnew(isForSwap:)`` has to find out where it is.
  /// - Throws: ``DurableFileError``.
  @available(*, noasync)
  package func lockAgain(isForSwap: Bool = false) throws(DurableFileError) -> ExclusiveFile? {
    let place = state.withLock {
      $0.isUsed = true
      return $0.place
    }
    guard let place else { return nil }
    let file = try ExclusiveFile(locking: place, isForSwap: isForSwap)
    if file == nil { release(place) }
    return file
  }

  /// Waits until nobody else has the file, and locks it.
  ///
  /// - Parameter isForSwap: Whether the contents around the file are about to be swapped.
  /// - Returns: The locked file.
  /// - Throws: ``DurableFileError``.
  @available(*, noasync)
  package func lockAnew(isForSwap: Bool = false) throws(DurableFileError) -> ExclusiveFile {
    let file = try ExclusiveFile(locking: url, within: confinement, isForSwap: isForSwap)
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

  /// Closes what is open unless it has been used since this was last asked; `isForced`, in any case.
  ///
  /// - Returns: Whether nothing is open any more.
  func close(isForced: Bool) -> Bool {
    // Closed once the lock is free.
    var isClosed = isForced
    state.replace { state -> FilePlace? in
      if !exchange(&state.isUsed, with: false) { isClosed = true }
      return isClosed ? state.place.take() : nil
    }
    return isClosed
  }
}
