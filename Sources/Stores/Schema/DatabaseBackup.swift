import FileSignals
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The copy of a file that is made before a migration.
///
/// It is next to the file, with the version in its name. There is one copy for each version that was migrated. A copy
/// is never incomplete.
struct DatabaseBackup {
  let path: String
  let copy: String
  private var partial: String { copy + ".partial" }

  init(of path: String, version: Int) {
    self.path = path
    copy = "\(path).v\(version).backup"
  }

  /// Copies the committed content.
  ///
  /// The caller holds the write lock, so the content cannot change.
  ///
  /// - Parameter mark: The mark that reports progress to waiting processes.
  /// - Returns: The path of the copy.
  /// - Throws: ``DatabaseError/schema(_:path:)``. There is then no copy.
  func make(_ mark: MigrationMark) throws(DatabaseError) -> String {
    do {
      try prepare()
      // The writing connection is in a transaction, in which copying is impossible.
      let connection = try SQLiteConnection(path: path, access: .reading, busyTimeout: .seconds(5))
      defer { connection.close() }
      connection.isPrivileged = true
      try mark.keep(for: connection) { () throws(DatabaseError) in
        try connection.run("VACUUM INTO ?", [.text(partial)])
      }
      try finish()
      return copy
    } catch {
      unlink(partial)
      throw .schema(.backupFailed(copy: copy, reason: "\(error)"), path: path)
    }
  }

  /// Creates an empty file that is readable only by users who can read the database.
  private func prepare() throws(DurableFileError) {
    unlink(partial)
    guard let status = FileStatus(path: path) else { throw failure("inspect", path) }
    let flags = O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW
    guard let file = Descriptor(uninterrupted { open(partial, flags, 0o600) }) else { throw failure("create", partial) }
    guard fchmod(file.number, mode_t(status.permissions)) == 0 else { throw failure("set the mode of", partial) }
  }

  /// Synchronises the copy to the disk, and then renames it into place.
  private func finish() throws(DurableFileError) {
    try synchronize(partial) { synchronizeContents($0, attributes: true) }
    guard rename(partial, copy) == 0 else { throw failure("rename", partial) }
    try synchronize(URL(filePath: copy).deletingLastPathComponent().path, synchronizeNames)
  }

  private func synchronize(_ path: String, _ wait: (CInt) -> Bool) throws(DurableFileError) {
    guard let file = Descriptor(uninterrupted { open(path, O_RDONLY | O_CLOEXEC) }) else { throw failure("open", path) }
    guard wait(file.number) else { throw failure("synchronize", path) }
  }

  /// Returns the error of the last system call.
  private func failure(_ operation: String, _ path: String) -> DurableFileError {
    DurableFileError(errno, operation, URL(filePath: path))
  }
}
