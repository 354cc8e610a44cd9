package import Foundation

/// Waits for renames with a bare inotify loop, and has `read` make of the file the number to answer.
package func answerRenames(in directory: URL, _ read: (URL) throws -> Int) throws {
  #if os(Linux)
    Thread.detachNewThread {
      while receive(from: STDIN_FILENO) != nil {}
      exit(0)
    }
    let descriptor = inotify_init1(CInt(IN_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError(call: "inotify_init1") }
    guard inotify_add_watch(descriptor, directory.path, UInt32(IN_MOVED_TO)) >= 0 else {
      throw SystemError(call: "inotify_add_watch")
    }
    send(Message(number: 0), to: STDOUT_FILENO)
    let url = directory.appending(path: "value.json")
    var events = [UInt8](repeating: 0, count: 4_096)
    while events.withUnsafeMutableBytes({ Foundation.read(descriptor, $0.baseAddress, $0.count) }) > 0 {
      send(Message(number: try read(url)), to: STDOUT_FILENO)
    }
  #endif
}
