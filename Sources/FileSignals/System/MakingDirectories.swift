#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Creates a directory, and waits until its name is on the disk.
///
/// A file survives a power failure only if the names of all directories above it do. The directory is created once, and
/// processes that use other durabilities share it, so its creation always waits.
///
/// - Parameters:
///   - path: The directory, whose parent directory exists.
///   - base: The open directory to which a relative path refers.
///   - permissions: The permissions of the directory.
/// - Returns: `true` if it was created; otherwise `errno` is set, and this call has created nothing.
package func makeDirectory(_ path: String, in base: CInt = AT_FDCWD, permissions: UInt16 = 0o700) -> Bool {
  makeDirectory(path, parent: FileLocation.split(path).parent, in: base, permissions: permissions)
}

/// Creates a directory, whose path need not be valid UTF-8, and waits until its name is on the disk.
///
/// - Parameters:
///   - path: The directory.
///   - parent: The path of its parent directory, which exists.
///   - base: The open directory to which relative paths refer.
///   - permissions: The permissions of the directory.
/// - Returns: `true` if it was created; otherwise `errno` is set, and this call has created nothing.
package func makeDirectory(
  _ path: UnsafePointer<CChar>, parent: UnsafePointer<CChar>, in base: CInt, permissions: UInt16
) -> Bool {
  guard mkdirat(base, path, mode_t(permissions)) == 0 else { return false }
  let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
  var parent = uninterrupted { openat(base, parent, flags) }
  // In a parent directory that this process may not read, it can only synchronize the new one. With a journal, this
  // stores the name as well.
  if parent < 0, errno == EACCES || errno == EPERM { parent = uninterrupted { openat(base, path, flags) } }
  if let names = Descriptor(parent), synchronizeNames(names.number) { return true }
  // The next call must not find a directory whose name may be lost.
  let reason = errno
  unlinkat(base, path, AT_REMOVEDIR)
  errno = reason
  return false
}
