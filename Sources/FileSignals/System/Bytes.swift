import CLibrary

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
