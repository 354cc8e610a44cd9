import CLibrary
import Dispatch
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

extension FileLocation {
  /// The requested path, the directory of the file and its name there, and whether that path is a link to the file.
  typealias Resolved = (asked: String, directory: String, name: String, isLinked: Bool)

  /// Resolves the location of a file to be written.
  ///
  /// A symbolic link is followed, so that its target is replaced and not the link itself. The target must not lead out
  /// of the confinement. The directory is checked later, when it is opened.
  static func resolve(_ url: URL, within confinement: FileConfinement? = nil) throws(DurableFileError) -> Resolved {
    let asked = try validPath(of: url)
    var path = asked
    while true {
      let isLinked = path != asked
      if let status = try FileStatus(path: path, followsLinks: false, of: url) {
        switch status.kind {
        case .regular: break
        case .link where !isLinked:
          guard let target = try canonicalPath(path, of: url) else {
            throw errno == ENOENT ? .danglingLink(url) : DurableFileError(errno, "follow the link", url)
          }
          try confinement?.check(target, of: url)
          path = target
          continue
        default: throw .notARegularFile(url, kind: status.kind.rawValue)
        }
      }
      let (directory, name) = split(path)
      return (asked, directory, name, isLinked)
    }
  }

  /// Returns whether the requested path, a link, still leads to the same name, even if the directory has been replaced.
  static func leads(_ resolved: Resolved, _ url: URL) throws(DurableFileError) -> Bool {
    let status = try FileStatus(path: resolved.asked, followsLinks: false, of: url)
    guard status?.kind == .link, let target = try canonicalPath(resolved.asked, of: url) else { return false }
    return split(target) == (resolved.directory, resolved.name)
  }

  /// Returns the path of a URL, if it is valid for a file.
  static func validPath(of url: URL) throws(DurableFileError) -> String {
    guard url.isFileURL else { throw .invalidPath(url, reason: "it is not a file URL") }
    let path = url.path
    // Only this form reveals it. `path` leaves it encoded, and so names a different file.
    guard !url.path(percentEncoded: false).utf8.contains(0) else {
      throw .invalidPath(url, reason: "it contains a NUL character")
    }
    let name = split(path).name
    guard !name.isEmpty, name != ".", name != "..", name != sharedFolder else {
      throw .invalidPath(url, reason: "it does not end in a file name")
    }
    // The sidecar's name, five characters longer, must fit as well.
    guard name.utf8.count + 5 <= longestName else {
      throw .invalidPath(url, reason: "its name's \(name.utf8.count) bytes exceed the limit of \(longestName - 5)")
    }
    return path
  }

  /// Splits a path into its directory and its last name.
  static func split(_ path: String) -> (parent: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let name = String(path[path.utf8.index(after: slash)...])
    return (slash == path.startIndex ? "/" : String(path[..<slash]), name)
  }
}

/// Keeping descriptors open for a moment.
///
/// Each location has three, and a file system cannot be unmounted while files on it are open. So their number and their
/// lifetime are limited.
extension FileLocation {
  private static let keptLimit = 8
  private static let sweepPause = DispatchTimeInterval.milliseconds(500)

  private struct Kept {
    let id: ObjectIdentifier
    /// A number that identifies the entry among all that were ever added.
    let number: UInt64
    weak let location: FileLocation?
  }

  /// The locations in the order in which they were opened, the last number, and whether a sweep is due.
  private static let kept = Guarded((entries: [Kept](), lastNumber: UInt64(0), isSweeping: false))
  private static let queue = DispatchQueue(label: "org.signals.locations", qos: .utility)

  /// Keeps the descriptors open until they have not been used for a while or are displaced by others.
  func keep() {
    let id = ObjectIdentifier(self)
    let (displaced, mustSweep) = Self.kept.withLock { kept in
      kept.entries.removeAll { $0.id == id }
      kept.lastNumber += 1
      kept.entries.append(Kept(id: id, number: kept.lastNumber, location: self))
      defer { kept.isSweeping = true }
      return (kept.entries.count > Self.keptLimit ? kept.entries.removeFirst() : nil, !kept.isSweeping)
    }
    _ = displaced?.location?.close(isForced: true)
    if mustSweep { Self.sweepLater() }
  }

  /// Removes the entry of this object, which is about to be released.
  func forget() {
    let id = ObjectIdentifier(self)
    Self.kept.withLock { $0.entries.removeAll { $0.id == id } }
  }

  private static func sweepLater() {
    queue.asyncAfter(deadline: .now() + sweepPause) { sweep() }
  }

  /// Closes the descriptors that have not been used since the last sweep.
  private static func sweep() {
    let current = kept.withLock { $0.entries }
    let unused = Set(current.filter { $0.location?.close(isForced: false) ?? true }.map(\.number))
    let isOver = kept.withLock { kept in
      // By number, not by object: descriptors that were closed may have been opened again since.
      kept.entries.removeAll { unused.contains($0.number) }
      kept.isSweeping = !kept.entries.isEmpty
      return kept.entries.isEmpty
    }
    if !isOver { sweepLater() }
  }
}
