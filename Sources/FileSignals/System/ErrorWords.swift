#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Returns the system's description of an error number.
package func errorWords(_ errno: CInt) -> String {
  guard let words = strerror(errno) else { return "unknown error" }
  return String(cString: words)
}
