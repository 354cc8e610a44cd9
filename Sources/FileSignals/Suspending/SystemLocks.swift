/// The locks that processes hold or wait for at one moment, as the system lists them.
///
/// - **Cost:** Reading the list acquires no lock, so it delays no process.
/// - **Gaps:** The kernel writes a long list in parts, and leaves entries out if other locks are released in between.
package struct SystemLocks: Sendable {
  /// A lock of a file.
  package struct Entry: Hashable, Sendable {
    /// The name of the mechanism: `flock`, `posix` or `ofd`.
    package let kind: String

    /// A Boolean value that indicates whether the lock excludes all others.
    package let isExclusive: Bool

    /// A Boolean value that indicates whether the process waits for the lock.
    package let isWaiting: Bool

    /// The process that acquired or requested the lock.
    package let process: Int32

    let inode: UInt64
    let major: UInt64
    let minor: UInt64

    /// Returns a Boolean value that indicates whether the entry belongs to a file.
    ///
    /// Some file systems, such as Btrfs, show another device to programs than in this list. Then the inode decides.
    func belongs(to file: FileIdentity) -> Bool {
      inode == file.inode
        && (major == 0
          || (major == (file.device >> 8) & 0xfff && minor == (file.device & 0xff) | ((file.device >> 12) & 0xfff00)))
    }
  }

  private let entries: [UInt64: [Entry]]

  init(_ entries: [Entry]) {
    self.entries = Dictionary(grouping: entries, by: \.inode)
  }

  /// The inodes of all locked files, on any device.
  package var inodes: Set<UInt64> { Set(entries.keys) }

  /// Returns the locks of a file.
  package func entries(of file: FileIdentity) -> [Entry] {
    (entries[file.inode] ?? []).filter { $0.belongs(to: file) }
  }

  /// Returns the locks of a file that a process holds.
  package func held(_ file: FileIdentity) -> [Entry] { entries(of: file).filter { !$0.isWaiting } }

  /// Returns a lock of a file that a process holds.
  ///
  /// A list without such a lock may have a gap, so it is read again, up to five times in all.
  ///
  /// - Parameters:
  ///   - file: The identity of the file.
  ///   - matches: A closure that decides which locks count.
  /// - Returns: The first such lock, or `nil` if there is none.
  package static func held(_ file: FileIdentity, where matches: (Entry) -> Bool = { _ in true }) -> Entry? {
    for _ in 0..<(isAvailable ? 5 : 0) {
      if let entry = current().held(file).first(where: matches) { return entry }
    }
    return nil
  }
}

/// A process that holds a lock.
public struct LockHolder: Hashable, Sendable {
  /// The process identifier.
  public let processIdentifier: Int32

  /// The name of the process.
  public let processName: String

  /// A Boolean value that indicates whether the process was stopped by a signal or a debugger when it was found.
  public internal(set) var isStopped = false
}

extension LockHolder: CustomStringConvertible {
  /// The name and identifier of the process, such as `Widget (process 4711, stopped)`.
  public var description: String { "\(processName) (process \(processIdentifier)\(isStopped ? ", stopped" : ""))" }
}
