import FileSignals
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The copy of a file that is made before it is migrated.
///
/// It lies beside the file, and bears the version in its name. There is one for each version that was migrated from; it
/// is never half a copy.
struct DatabaseBackup {
  let path: String
  let copy: String
  private var partial: String { copy + ".partial" }

  init(of path: String, version: Int) {
    self.path = path
    copy = "\(path).v\(version).backup"
  }

  /// Copies what was committed; whoever calls it holds the lock for writing, so that nobody changes it meanwhile.
  ///
  /// - Parameter mark: Says that it goes on.
  /// - Returns: Where the copy is.
  /// - Throws: ``DatabaseError/schema(_:path:)``, and there is no copy then.
  func make(_ mark: MigrationMark) throws(DatabaseError) -> String {
    do {
      try prepare()
      // The writing connection is in a transaction, in which there can be no copying.
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

  /// Makes an empty file that nobody may read who could not read the database.
  private func prepare() throws(DurableFileError) {
    unlink(partial)
    guard let status = FileStatus(path: path) else { throw failure("look at", path) }
    let flags = O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW
    guard let file = Descriptor(uninterrupted { open(partial, flags, 0o600) }) else { throw failure("create", partial) }
    guard fchmod(file.number, mode_t(status.permissions)) == 0 else { throw failure("set the mode of", partial) }
  }

  /// Makes the copy appear, whole and on the disk.
  private func finish() throws(DurableFileError) {
    try synchronize(partial) { synchronizeContents($0, attributes: true) }
    guard rename(partial, copy) == 0 else { throw failure("rename", partial) }
    try synchronize(URL(filePath: copy).deletingLastPathComponent().path, synchronizeNames)
  }

  private func synchronize(_ path: String, _ wait: (CInt) -> Bool) throws(DurableFileError) {
    guard let file = Descriptor(uninterrupted { open(path, O_RDONLY | O_CLOEXEC) }) else { throw failure("open", path) }
    guard wait(file.number) else { throw failure("synchronize", path) }
  }

  /// Why the system has just refused something.
  private func failure(_ operation: String, _ path: String) -> DurableFileError {
    DurableFileError(errno, operation, URL(filePath: path))
  }
}
