import CLibrary
package import Foundation
import Signals

/// The path of a file that is read and locked repeatedly, and the directory that the file must not lead out of.
///
/// The descriptors that locking needs stay open for a moment, because a process that writes a file often writes it
/// again soon. Each time the lock is acquired, the path is checked again.
package final class FileLocation: Sendable {
  /// The folder next to the files that contains their locks and temporary files, which observers ignore.
  static let sharedFolder = ".shared"

  package let url: URL

  /// The directory that the file must not lead out of.
  let confinement: FileConfinement?

  /// A Boolean value that indicates whether the file must not lead out of a directory.
  package var isConfined: Bool { confinement != nil }

  /// The URL's path, stored because computing it takes a while.
  private let path: Result<String, DurableFileError>

  /// The directory of the file, and its name in it, if the directory is directly in the confinement's root.
  private let direct: (directory: String, name: String)?

  private struct State {
    var descriptors: FileDescriptors?
    var isUsed = false
  }

  private let state = Guarded(State())

  /// Creates the location of a file, without opening anything.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - confinement: The directory that it must not lead out of, whatever links there are.
  package init(_ url: URL, within confinement: FileConfinement? = nil) {
    self.url = url
    self.confinement = confinement
    path = Result { () throws(DurableFileError) in try Self.validPath(of: url) }
    direct = confinement.flatMap { [path] confinement in
      guard case .success(let path) = path else { return nil }
      let (directory, name) = Self.split(path)
      return confinement.canOpenDirectly(directory) ? (directory, name) : nil
    }
  }

  /// The path, or what there is of it if no file can have it.
  package var pathText: String { tolerating(try path.get(), else: url.path) }

  deinit {
    forget()
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
    var (directory, name) = Self.split(path)
    // Other programs may change the link between the two steps.
    let data = try FileLock.waiting.repeating(within: DirectoryRules.patience(for: url)) {
      () throws(DurableFileError) -> Data? in
      if let data = try content(of: name, in: directory, within: confinement, limit: limit) { return data }
      let resolved = try Self.resolve(url, within: confinement)
      (directory, name) = (resolved.directory, resolved.name)
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

  /// Waits until no other thread or process holds the file's lock, and acquires it.
  ///
  /// - Parameters:
  ///   - isForSwitch: A Boolean value that indicates whether the contents around the file are about to be switched.
  ///   - limit: The longest time to wait, or `nil` for the limit of the directory.
  ///   - isVouchedFor: A closure that is called with the lock held, and returns whether the path is known to lead to the
  ///     open files, so that it need not be checked.
  /// - Returns: The locked file.
  /// - Throws: ``DurableFileError``.
  @available(*, noasync)
  package func lock(
    isForSwitch: Bool = false, limit: Duration? = nil, isVouchedFor: (FileDescriptors) -> Bool = { _ in false }
  ) throws(DurableFileError) -> ExclusiveFile {
    let descriptors = state.withLock {
      $0.isUsed = true
      return $0.descriptors
    }
    if let descriptors {
      let file = try ExclusiveFile(
        locking: descriptors, isForSwitch: isForSwitch, limit: limit, isVouchedFor: isVouchedFor)
      if let file { return file }
      state.withLock {
        if $0.descriptors === descriptors { $0.descriptors = nil }
      }
    }
    let file = try ExclusiveFile(locking: url, within: confinement, isForSwitch: isForSwitch, limit: limit)
    state.withLock { $0 = State(descriptors: file.descriptors, isUsed: true) }
    keep()
    return file
  }

  /// Closes the descriptors, unless they have been used since the last call.
  ///
  /// If `isForced` is `true`, closes them in any case.
  ///
  /// - Returns: `true` if nothing is open any more.
  func close(isForced: Bool) -> Bool {
    // Closed after the lock has been released.
    var isClosed = isForced
    state.replace { state -> FileDescriptors? in
      if !exchange(&state.isUsed, with: false) { isClosed = true }
      return isClosed ? state.descriptors.take() : nil
    }
    return isClosed
  }
}
