#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The copy of a file that is made before it is migrated.
///
/// It lies beside the file, and bears the version in its name. There is one for each version that was migrated from; it is
/// never half a copy.
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
      _ = try mark.keep(for: connection) { () throws(DatabaseError) in
        try connection.value("VACUUM INTO ?", [.text(partial)])
      }
      try finish()
      return copy
    } catch {
      unlink(partial)
      throw .schema(.backupFailed(copy: copy, reason: "\(error)"), path: path)
    }
  }

  /// Makes an empty file that nobody may read who could not read the database.
  private func prepare() throws(Refusal) {
    unlink(partial)
    var status = stat()
    guard stat(path, &status) == 0 else { throw Refusal("stat") }
    let descriptor = open(partial, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Refusal("open") }
    defer { close(descriptor) }
    guard fchmod(descriptor, status.st_mode & 0o777) == 0 else { throw Refusal("fchmod") }
  }

  /// Makes the copy appear, whole and on the disk.
  private func finish() throws(Refusal) {
    try synchronize(partial)
    guard rename(partial, copy) == 0 else { throw Refusal("rename") }
    let directory = copy.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    try synchronize(directory.isEmpty ? (copy.hasPrefix("/") ? "/" : ".") : directory)
  }

  private func synchronize(_ path: String) throws(Refusal) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Refusal("open") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw Refusal("fsync") }
  }

  /// Why the system refused something.
  private struct Refusal: Error, CustomStringConvertible {
    let description: String

    init(_ operation: String) {
      description = "\(operation): \(systemWords(errno))"
    }
  }
}
