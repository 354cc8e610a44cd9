#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Writes all of some bytes to a descriptor.
///
/// - Returns: Whether that worked; if not, `errno` says why.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to number: CInt) -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    let buffer = UnsafeRawBufferPointer(rebasing: rest)
    let count = uninterrupted { write(number, buffer.baseAddress, buffer.count) }
    guard count >= 0 else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}

/// Reads bytes from a descriptor until a buffer is full or there are no more.
///
/// - Returns: How many were read; a negative number if that failed, and `errno` says why.
package func readAll(_ buffer: UnsafeMutableRawBufferPointer, from number: CInt) -> Int {
  var count = 0
  while count < buffer.count {
    let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
    let more = uninterrupted { read(number, rest.baseAddress, rest.count) }
    if more < 0 { return more }
    if more == 0 { break }
    count += more
  }
  return count
}

/// Whether the process may write so large a file: the kernel's own answer would be a signal that ends it.
package func fitsSizeLimit(_ count: Int) -> Bool {
  var limit = rlimit()
  #if canImport(Glibc)
    let result = getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  #else
    let result = getrlimit(RLIMIT_FSIZE, &limit)
  #endif
  return result != 0 || UInt64(limit.rlim_cur) >= UInt64(count)
}
