import CLibrary
import FileSignals
import Foundation

/// The directory of a presence, with one file for each announcement, named by its identifier.
///
/// Other files are ignored.
struct PresenceDirectory: Sendable {
  /// The content of each announcement whose process is present.
  typealias Contents = [UUID: Data]

  static let folder = "Presence"

  /// The folder for new files before they are renamed into place; no process observes it.
  private static let temporaryFolder = ".shared"

  let url: URL
  private let name: String
  private let container: AppGroupsContainer

  init(name: String, container: AppGroupsContainer) throws(AppGroupsFileError) {
    if let problem = PathComponent.problem(with: name, limit: PathComponent.maximumFileLength) {
      throw .invalidName(name, reason: problem)
    }
    self.name = name
    self.container = container
    url = container.containerURL
      .appending(path: Self.folder, directoryHint: .isDirectory)
      .appending(path: name, directoryHint: .isDirectory)
    try make()
  }

  private var temporaries: URL { url.appending(path: Self.temporaryFolder, directoryHint: .isDirectory) }

  /// Returns the file of an announcement.
  func place(of id: UUID) -> URL {
    url.appending(path: id.uuidString, directoryHint: .notDirectory)
  }

  private func make() throws(AppGroupsFileError) {
    do {
      let root = try GroupDirectory.make(Self.folder, in: GroupDirectory.make(container.containerURL))
      _ = try GroupDirectory.make(Self.temporaryFolder, in: GroupDirectory.make(name, in: root))
    } catch {
      throw .unusableContainer(error)
    }
  }

  /// Writes the file of an announcement, and creates the directory again if it is missing.
  func store(_ data: Data, as id: UUID) throws(AppGroupsFileError) -> PresenceFile {
    do {
      return try PresenceFile(data, at: place(of: id), temporariesIn: temporaries)
    } catch .notFound {
      try make()
    } catch {
      throw refused(error)
    }
    return try translating(PresenceFile(data, at: place(of: id), temporariesIn: temporaries), by: refused)
  }

  private func refused(_ error: DurableFileError) -> AppGroupsFileError {
    if case .suspended = error { .suspended(url, operation: "announce a process in") } else { .inaccessible(error) }
  }

  /// Removes the file of an announcement of this process.
  func remove(_ id: UUID) {
    unlink(place(of: id).path)
  }

  // MARK: Looking

  /// Reads the announcements of all present processes, and removes the files of dead ones.
  ///
  /// - Parameters:
  ///   - isSuspended: Returns a Boolean value that indicates whether a record belongs to a suspended process.
  ///   - isForbidden: Receives each announcement that this process may not read, and the reason.
  /// - Returns: The announcements.
  /// - Throws: ``AppGroupsFileError`` if the directory cannot be read.
  func contents(
    suspended isSuspended: (Data) -> Bool,
    forbidden isForbidden: (UUID, AppGroupsFileError) -> Void = { _, _ in }
  ) throws(AppGroupsFileError) -> Contents {
    var contents: Contents = [:]
    do throws(DurableFileError) {
      for name in try Self.names(in: url) {
        // Other names belong to other programs, and are not ours to remove.
        guard let id = UUID(uuidString: name), id.uuidString == name else { continue }
        do throws(DurableFileError) {
          if let data = try content(of: place(of: id), isSuspended) { contents[id] = data }
        } catch {
          // A file of another user must not hide the others.
          guard case .permissionDenied = error else { throw error }
          isForbidden(id, AppGroupsFileError(error))
        }
      }
    } catch {
      throw AppGroupsFileError(error)
    }
    return contents
  }

  /// Returns whether the process of an announcement is present.
  func isPresent(_ id: UUID, suspended isSuspended: (Data) -> Bool) throws(AppGroupsFileError) -> Bool {
    do {
      return try Self.isHeld(place(of: id), orSuspended: isSuspended)
    } catch .notFound, .notARegularFile, .linkLoop {
      return false
    } catch {
      throw AppGroupsFileError(error)
    }
  }

  /// Removes the temporary files of processes that died during an announcement.
  func removeLitter() {
    var names: [String] = []
    do {
      names = try Self.names(in: temporaries)
    } catch {
      // Litter is harmless; the next process tries again.
      return
    }
    for name in names where name.hasSuffix(".tmp") {
      do {
        _ = try Self.isHeld(temporaries.appending(path: name, directoryHint: .notDirectory)) { _ in false }
      } catch {
        // Another process has removed it first, or this one has no permission.
        continue
      }
    }
  }

  /// Returns the content of an announcement, or `nil` if no process holds it any more.
  private func content(of url: URL, _ isSuspended: (Data) -> Bool) throws(DurableFileError) -> Data? {
    do {
      return try Self.isHeld(url, orSuspended: isSuspended) ? try DurableFile.read(url) : nil
    } catch .notFound, .notARegularFile, .linkLoop {
      // It was withdrawn in between, or is not an announcement.
      return nil
    }
  }

  /// Returns whether a process holds a file or is suspended, and removes the file otherwise.
  ///
  /// The test takes a shared lock, so that two testing processes do not take each other for holders. It opens the file
  /// for reading only, so that closing the file is no event.
  private static func isHeld(
    _ url: URL, orSuspended isSuspended: (Data) -> Bool
  ) throws(DurableFileError) -> Bool {
    let isHeld = try FileLock.waiting.repeating(within: DirectoryRules.patience(for: url)) {
      () throws(DurableFileError) -> Bool? in
      guard let lock = FileLock(url.path, .reading, of: url) else { throw DurableFileError(errno, "open", url) }
      guard let status = lock.status else { throw DurableFileError(errno, "inspect", url) }
      guard status.kind == .regular else { throw .notARegularFile(url, kind: status.kind.rawValue) }
      guard try lock.tryLock(.shared) else { return true }
      // An update renames a new file into place before it releases the old one. So if the file in place is not held, its
      // process is gone, and no other process will ever use the name.
      // A suspended process, too, comes back with a new file.
      let isKept = isSuspended(try DurableFile.read(url))
      guard try lock.isFile(at: url.path) else { return nil }
      if isKept { return true }
      unlink(url.path)
      return false
    }
    return isHeld ?? true
  }

  private static func names(in directory: URL) throws(DurableFileError) -> [String] {
    try DirectoryListing.names(in: directory) ?? []
  }
}
