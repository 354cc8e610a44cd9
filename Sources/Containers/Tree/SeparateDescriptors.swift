import FileSignals
import Foundation

/// A place to open and close files of a root without losing locks that this process holds on them.
///
/// Libraries such as SQLite lock files with POSIX record locks. If a process closes any descriptor of a file, the
/// system drops all such locks of the process on it. Other processes then write to a database that is in use. So a copy
/// must not open and close files as usual.
///
/// - **Linux:** The work runs on a thread with its own table of descriptors. The table is the owner of record locks, so
///   closing a file there releases only locks that were acquired there. This thread can also lock databases as another
///   process would.
/// - **Darwin:** A file is cloned without being opened, and the clone is read.
///
/// Descriptors, and so ``Folder`` objects, must not cross the border between the two tables. Code of the user runs with
/// ``onCaller(_:)``.
final class SeparateDescriptors: Sendable {
  #if canImport(Darwin)
    /// The directory for clones.
    private let staging: Folder?

    private init(staging: Folder?) {
      self.staging = staging
    }
  #else
    let thread: SeparateThread?

    init(thread: SeparateThread?) {
      self.thread = thread
    }
  #endif
}

#if canImport(Darwin)
  extension SeparateDescriptors {
    /// A Boolean value that indicates whether the work may lock databases as another process would.
    var canLock: Bool { false }

    /// A Boolean value that indicates whether ``open(_:in:)`` opens copies, which no other program changes.
    var opensCopies: Bool { staging != nil }

    /// Runs a closure.
    ///
    /// - Parameters:
    ///   - staging: A directory of the same file system for temporary clones, or `nil` if locks need not be kept.
    ///   - body: Opens and closes files.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    static func run<Result>(
      staging: URL?, _ body: @escaping (SeparateDescriptors) throws(AppContainerError) -> Result
    ) throws(AppContainerError) -> Result {
      try body(SeparateDescriptors(staging: staging.map { url throws(AppContainerError) in try Folder(url) }))
    }

    /// Runs a closure on the thread that called ``run(staging:_:)``.
    func onCaller<Result>(_ body: @escaping () -> Result) -> Result { body() }

    /// Opens a regular file, or a clone of it, for reading.
    func open(_ name: EntryPath, in folder: Folder) throws(AppContainerError) -> Descriptor {
      if let staging, let clone = try open(cloneOf: name, in: folder, staging) { return clone }
      // The file system has no clones.
      return try folder.open(name)
    }

    private func open(
      cloneOf name: EntryPath, in folder: Folder, _ staging: Folder
    ) throws(AppContainerError) -> Descriptor? {
      let place = EntryPath(ContainerLayout.discarded())
      guard clonefileat(folder.number, name.cString, staging.number, place.cString, UInt32(CLONE_NOFOLLOW)) == 0 else {
        if errno == ENOTSUP || errno == EXDEV || errno == EINVAL { return nil }
        throw folder.failure("clone", name)
      }
      defer { unlinkat(staging.number, place.cString, 0) }
      return try staging.open(place)
    }
  }
#endif
