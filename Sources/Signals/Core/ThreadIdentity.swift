import CLibrary

/// The identity of a thread, valid as long as the thread runs.
@usableFromInline
package struct ThreadIdentity: Equatable, Sendable {
  /// A number that no other running thread has, and that is never 0.
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

  /// Pauses briefly, so that other threads can run.
  static func pause() {
    usleep(100)
  }
}
