package import Signals

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Backoff.Pauses {
  /// Counts a failed attempt and blocks the thread until the next one.
  ///
  /// - Returns: `false`, without blocking, if the limit has been reached.
  @available(*, noasync, message: "It blocks the thread")
  package mutating func sleep() -> Bool {
    guard let pause = next() else { return false }
    usleep(UInt32(clamping: Int64(pause.inSeconds * 1_000_000)))
    return true
  }
}
