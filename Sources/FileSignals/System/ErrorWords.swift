import CLibrary

/// Returns the system's description of an error number.
package func errorWords(_ errno: CInt) -> String {
  guard let words = strerror(errno) else { return "unknown error" }
  return String(cString: words)
}

/// Returns a text without its final period, so that a longer text can continue it.
package func clause(_ text: String) -> String {
  text.hasSuffix(".") ? String(text.dropLast()) : text
}
