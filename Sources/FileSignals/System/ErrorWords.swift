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

/// Returns the value of `body`, or throws the error that `translate` makes of the error that it throws.
@inlinable @inline(__always)
package func translating<Value: ~Copyable, Failure: Error, Translated: Error>(
  _ body: @autoclosure () throws(Failure) -> Value, by translate: (Failure) -> Translated
) throws(Translated) -> Value {
  do {
    return try body()
  } catch {
    throw translate(error)
  }
}

/// Returns the value of `body`, or `fallback` if it throws.
///
/// It is for failures that need no report. A comment at each use gives the reason, unless the fallback shows it.
@inlinable @inline(__always)
package func tolerating<Value>(
  _ body: @autoclosure () throws -> Value, else fallback: @autoclosure () -> Value
) -> Value {
  tolerating(else: fallback(), body)
}

/// Returns the result of `body`, or `fallback` if it throws, as ``tolerating(_:else:)`` does.
@inlinable @inline(__always)
package func tolerating<Value>(else fallback: @autoclosure () -> Value, _ body: () throws -> Value) -> Value {
  do {
    return try body()
  } catch {
    return fallback()
  }
}

/// Calls `body`, and ignores an error that it throws.
@inlinable @inline(__always)
package func tolerating(_ body: () throws -> Void) { tolerating(else: (), body) }
