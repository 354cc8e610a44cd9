#if os(Linux) || os(Android)
  import Foundation

  extension LockHolder {
    /// Records this process as the holder of a lock, where the system does not.
    @inline(__always)
    static func record(in descriptor: CInt) {}

    /// Finds the process that holds a lock of an open file.
    ///
    /// - Parameters:
    ///   - identity: The identity of the file.
    ///   - descriptor: A descriptor of the file, for systems that do not list locks.
    /// - Returns: The process, or `nil` if it is unknown, for example because it runs in another container.
    static func find(_ identity: FileIdentity, descriptor: CInt) -> LockHolder? {
      SystemLocks.held(identity) { $0.kind == "flock" }.map { LockHolder($0.process) }
    }

    /// Finds the process that holds a lock for writing that SQLite has acquired in a file.
    package static func writer(of path: String) -> LockHolder? {
      guard let status = FileStatus.ifReadable(path: path) else { return nil }
      let entry = SystemLocks.held(status.identity) { ["posix", "ofd"].contains($0.kind) && $0.isExclusive }
      return entry.map { LockHolder($0.process) }
    }
  }
#endif
