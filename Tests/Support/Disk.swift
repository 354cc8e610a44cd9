public import Foundation

/// Runs a test on a separate file system, which is unmounted in any case.
///
/// - Parameters:
///   - command: Mounts the file system at `$1`.
///   - body: Receives the directory; not called in containers that give root no right to mount.
/// - Throws: The error of the test, or ``ShellError`` if the file system cannot be unmounted.
public func withDisk(_ command: String, _ body: (URL) async throws -> Void) async throws {
  let disk = try TemporaryDirectory()
  do {
    try await shell(command, disk.url.path)
  } catch is ShellError {
    try await unmount(disk.url)
    return
  }
  do {
    try await body(disk.url)
  } catch {
    try await unmount(disk.url)
    throw error
  }
  try await unmount(disk.url)
}

/// Makes a file system of ``withDisk(_:_:)`` read-only, or writable again.
///
/// The system refuses while a file is open for writing: by a lock, which is kept for half a second, or in a process
/// that another test is just starting and that has inherited it.
///
/// - Parameters:
///   - disk: The directory.
///   - isReadOnly: A Boolean value that determines whether the file system becomes read-only.
/// - Throws: ``ShellError`` if the system still refuses after a minute.
public func remount(_ disk: URL, readOnly isReadOnly: Bool) async throws {
  let command = #"for _ in $(seq 600); do mount -o remount,$2 "$1" 2> /dev/null && exit; sleep 0.1; done; exit 1"#
  try await shell(command, disk.path, isReadOnly ? "ro" : "rw")
}

/// Unmounts a directory, and before it everything mounted inside.
private func unmount(_ disk: URL) async throws {
  try await shell(#"umount -l "$1/merged" 2> /dev/null || true; umount -l "$1" 2> /dev/null || true"#, disk.path)
}
