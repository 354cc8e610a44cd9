#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Which thread this is, for as long as it runs.
@usableFromInline
package struct ThreadIdentity: Equatable, Sendable {
  /// A number that no other running thread has; it is never 0.
  @usableFromInline package let address: UInt

  /// The identity of the calling thread.
  @usableFromInline
  package static var current: ThreadIdentity {
    #if canImport(Darwin)
      ThreadIdentity(address: UInt(bitPattern: pthread_self()))
    #else
      ThreadIdentity(address: UInt(pthread_self()))
    #endif
  }

  /// Lets other threads run for a moment.
  static func pause() {
    usleep(100)
  }
}
