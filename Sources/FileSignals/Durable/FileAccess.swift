package import Foundation
import Signals

/// Reads and locks one file, again and again.
///
/// What has to be open in order to lock it stays open for a moment, because whoever writes a file often does so again
/// soon; see ``OpenPlaces``. Whether the path still leads there is found out each time, with the lock held.
package final class FileAccess: Sendable {
  private let url: URL

  /// The URL's path, which takes a while to find out.
  private let path: Result<String, DurableFileError>

  private let lock = Lock()
  private nonisolated(unsafe) var place: FilePlace?  // Sound: guarded by the lock, like the next one.
  private nonisolated(unsafe) var isUsed = false

  /// Makes access to a file; nothing is looked at or opened yet.
  package init(_ url: URL) {
    self.url = url
    path = Result { () throws(DurableFileError) in try FileLocation.validPath(of: url) }
  }

  deinit {
    OpenPlaces.shared.forget(self)
  }

  /// The file's content, or `nil` if it is a symbolic link that must not be followed.
  package func read(followsLinks: Bool) throws(DurableFileError) -> Data? {
    do {
      return try FileReader.read(path.get(), followsLinks: followsLinks, url: url)
    } catch .linkLoop where !followsLinks {
      return nil
    }
  }

  /// Waits until nobody else has the file, and locks it, if it was locked a moment ago and is still where it was then.
  ///
  /// - Parameter isForSwap: Whether the contents around the file are about to be swapped.
  /// - Returns: The locked file, or `nil` if ``lockAnew(isForSwap:)`` has to find out where it is.
  /// - Throws: ``DurableFileError``.
  @available(*, noasync)
  package func lockAgain(isForSwap: Bool = false) throws(DurableFileError) -> ExclusiveFile? {
    let place = lock.withLock {
      isUsed = true
      return self.place
    }
    guard let place else { return nil }
    let file = try ExclusiveFile(locking: place, url, isForSwap: isForSwap)
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
    let file = try ExclusiveFile(locking: url, isForSwap: isForSwap)
    lock.withLock { (place, isUsed) = (file.place, true) }
    OpenPlaces.shared.keep(self)
    return file
  }

  private func release(_ stale: FilePlace) {
    lock.withLock {
      if place === stale { place = nil }
    }
  }

  /// Closes what is open unless it has been used since this was last asked; `isForced`, in any case.
  ///
  /// - Returns: Whether nothing is open any more.
  func close(isForced: Bool) -> Bool {
    let (isClosed, closed) = lock.withLock { () -> (Bool, FilePlace?) in
      defer { isUsed = false }
      guard isForced || !isUsed else { return (false, nil) }
      defer { place = nil }
      return (true, place)
    }
    // Closed only now that the lock is free.
    withExtendedLifetime(closed) {}
    return isClosed
  }
}
