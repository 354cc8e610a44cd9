import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Sees to it that a peer does not outlive the tests that started it, also if it was told to do something for ever.
enum Orphan {
  /// Ends this process as soon as the other end of its standard input is gone.
  static func endsWithItsParent() {
    Thread.detachNewThread {
      // No event is asked for; that the other end has hung up is always told.
      var input = pollfd(fd: STDIN_FILENO, events: 0, revents: 0)
      while poll(&input, 1, -1) <= 0 {}
      // Not by an exit, at which sanitizers would take stock of what is in the middle of something.
      kill(getpid(), SIGKILL)
    }
  }
}
