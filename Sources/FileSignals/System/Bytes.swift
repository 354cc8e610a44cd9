#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Writes all of some bytes to a descriptor.
///
/// - Returns: How many were written; if that is not all, `errno` says why.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to number: CInt) -> Int {
  var written = 0
  while written < bytes.count {
    let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
    let count = uninterrupted { write(number, rest.baseAddress, rest.count) }
    if count < 0 { break }
    written += count
  }
  return written
}

/// Reads what a descriptor gives at once, as much as fits into a buffer.
///
/// - Returns: How many bytes were read, 0 at the end; a negative number if that failed, and `errno` says why.
package func readSome(_ buffer: UnsafeMutableRawBufferPointer, from number: CInt) -> Int {
  uninterrupted { read(number, buffer.baseAddress, buffer.count) }
}

/// Reads bytes from a descriptor until a buffer is full or there are no more.
///
/// - Returns: How many were read; a negative number if that failed, and `errno` says why.
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

/// How large a file this process may write: beyond it, the kernel's answer would be a signal that ends the process.
package func fileSizeLimit() -> Int {
  var limit = rlimit()
  #if canImport(Glibc)
    let result = getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  #else
    let result = getrlimit(RLIMIT_FSIZE, &limit)
  #endif
  return result == 0 ? Int(clamping: limit.rlim_cur) : .max
}
