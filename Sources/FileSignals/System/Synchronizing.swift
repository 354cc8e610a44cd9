import CLibrary

/// Waits until the data that was written to an open file is on the disk.
///
/// - Parameters:
///   - number: The descriptor of the file.
///   - attributes: A Boolean value that determines whether to include attributes, such as permissions and times, that
///     are not needed to read the data.
/// - Returns: `true` on success; otherwise `errno` is set.
package func synchronizeContents(_ number: CInt, attributes: Bool) -> Bool {
  #if canImport(Darwin)
    // On Apple's systems, `fsync` only reaches the drive's cache.
    if fcntl(number, F_FULLFSYNC) == 0 { return true }
    return uninterrupted { fsync(number) } == 0
  #else
    return uninterrupted { attributes ? fsync(number) : fdatasync(number) } == 0
  #endif
}

/// Waits until the names in an open directory are on the disk.
///
/// - Returns: `true` on success; otherwise `errno` is set.
package func synchronizeNames(_ number: CInt) -> Bool {
  // Some file systems do not support this and return EINVAL. It is then either unnecessary or impossible.
  uninterrupted { fsync(number) } == 0 || errno == EINVAL || errno == ENOTSUP
}

#if !canImport(Darwin)
  /// Returns a function of the system that some of its versions lack.
  ///
  /// - Parameters:
  ///   - name: The name of the function.
  ///   - type: The function's type in C.
  /// - Returns: The function, or `nil`.
  package func systemFunction<Call>(_ name: String, as type: Call.Type) -> Call? {
    // Sound: the caller passes the type with which the system declares the function.
    dlsym(nil, name).map { unsafeBitCast($0, to: type) }
  }
#endif
