import CLibrary
import Foundation

/// Ends a peer with the tests that started it, even during an endless command.
enum Orphan {
  /// Ends this process as soon as the other end of its standard input is closed.
  static func endsWithItsParent() {
    Thread.detachNewThread {
      // No event is requested, because a hang-up is always reported.
      var input = pollfd(fd: STDIN_FILENO, events: 0, revents: 0)
      while poll(&input, 1, -1) <= 0 {}
      // Not by `exit`, because sanitizers would then check a process in the middle of its work.
      kill(getpid(), SIGKILL)
    }
  }
}
