import CLibrary

/// An open file descriptor that is closed when the value is destroyed.
package struct Descriptor: ~Copyable, Sendable {
  package let number: CInt

  /// Takes ownership of a descriptor that a system call returned.
  ///
  /// Fails if the call failed.
  package init?(_ number: CInt) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  /// Opens a directory, and follows no symbolic link in its place.
  ///
  /// If it fails, `errno` has the reason.
  package init?(directory path: String, in base: CInt = AT_FDCWD) {
    self.init(uninterrupted { openat(base, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) })
  }

  deinit {
    _ = CLibrary.close(number)
  }

  /// Closes the descriptor and returns the result of the system call.
  ///
  /// The descriptor is closed in any case.
  package consuming func close() -> CInt {
    let number = number
    discard self
    return CLibrary.close(number)
  }

  /// Gives up ownership of the descriptor, which the caller must close.
  package consuming func release() -> CInt {
    let number = number
    discard self
    return number
  }

  /// The status of the open file, or `nil` with `errno` set.
  package var status: FileStatus? { FileStatus(descriptor: number) }
}

/// Repeats a system call as long as signals interrupt it.
@inline(__always)
package func uninterrupted<Result: FixedWidthInteger & SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}

/// Appends all given bytes to a file.
///
/// The kernel ends a process with a signal that exceeds ``fileSizeLimit()``, so nothing is written in that case.
///
/// - Parameters:
///   - bytes: The bytes.
///   - number: The descriptor of the file.
///   - size: The size of the file, or `nil` if the caller has compared the new size with the limit.
/// - Returns: The number of bytes written. If it is less than the count, `errno` is set.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to number: CInt, after size: Int?) -> Int {
  var written = 0
  if let size, bytes.count > fileSizeLimit() - size {
    errno = EFBIG
    return 0
  }
  while written < bytes.count {
    let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
    let count = uninterrupted { write(number, rest.baseAddress, rest.count) }
    if count < 0 { break }
    written += count
  }
  return written
}

/// Reads the bytes that are available without waiting for more, up to the size of a buffer.
///
/// - Returns: The number of bytes read, 0 at the end, or a negative number with `errno` set.
package func readSome(_ buffer: UnsafeMutableRawBufferPointer, from number: CInt) -> Int {
  uninterrupted { read(number, buffer.baseAddress, buffer.count) }
}

/// Reads bytes at a position of a file, and leaves the position of its descriptor.
///
/// - Returns: The number of bytes read, 0 at the end, or a negative number with `errno` set.
package func readSome(_ buffer: UnsafeMutableRawBufferPointer, from number: CInt, at position: Int) -> Int {
  guard let start = buffer.baseAddress else { return 0 }
  return uninterrupted { pread(number, start, buffer.count, off_t(position)) }
}

/// Writes bytes at a position of a file, and leaves the position of its descriptor.
///
/// - Returns: The number of bytes written, or a negative number with `errno` set.
package func writeSome(_ bytes: UnsafeRawBufferPointer, to number: CInt, at position: Int) -> Int {
  guard let start = bytes.baseAddress else { return 0 }
  return uninterrupted { pwrite(number, start, bytes.count, off_t(position)) }
}

/// Reads bytes from a descriptor until a buffer is full or the end is reached.
///
/// - Returns: The number of bytes read, or a negative number with `errno` set.
package func readAll(_ buffer: UnsafeMutableRawBufferPointer, from number: CInt) -> Int {
  var count = 0
  while count < buffer.count {
    let more = readSome(UnsafeMutableRawBufferPointer(rebasing: buffer[count...]), from: number)
    if more < 0 { return more }
    if more == 0 { break }
    count += more
  }
  return count
}

/// Returns the maximum size of a file that this process may write.
///
/// The kernel ends the process with a signal if it writes more.
package func fileSizeLimit() -> Int {
  var limit = rlimit()
  #if canImport(Glibc)
    let result = getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  #else
    let result = getrlimit(RLIMIT_FSIZE, &limit)
  #endif
  return result == 0 ? Int(clamping: limit.rlim_cur) : .max
}

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
