#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Waits until what was written to an open file is on the disk.
///
/// - Parameters:
///   - number: The descriptor of the file.
///   - attributes: Whether also who may read it and its times, and not only what is needed to read it.
/// - Returns: Whether that worked; if not, `errno` says why.
package func synchronizeContents(_ number: CInt, attributes: Bool) -> Bool {
  #if canImport(Darwin)
    // There, `fsync` only reaches the drive's cache.
    if fcntl(number, F_FULLFSYNC) == 0 { return true }
    return uninterrupted { fsync(number) } == 0
  #else
    return uninterrupted { attributes ? fsync(number) : fdatasync(number) } == 0
  #endif
}

/// Waits until the names in an open directory are on the disk.
///
/// - Returns: Whether that worked; if not, `errno` says why.
package func synchronizeNames(_ number: CInt) -> Bool {
  // Some file systems cannot, and say so with EINVAL; there it is not needed or not possible.
  uninterrupted { fsync(number) } == 0 || errno == EINVAL || errno == ENOTSUP
}
