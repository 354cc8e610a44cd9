package import AppGroups
package import Foundation
import Signals

/// Opens the log that the processes of a benchmark share.
package func sharedLog(in directory: URL) throws -> AppGroupsLog<Payload> {
  try AppGroupsLog(name: "events", container: AppGroupsContainer(directory: directory))
}

/// Answers each event of the shared log.
package func answerEvents(in directory: URL) throws {
  let events = try sharedLog(in: directory).newEvents()
  let subscription = events.sink { send(Message(number: $0.event.count), to: STDOUT_FILENO) }
  send(Message(number: 0), to: STDOUT_FILENO)
  while receive(from: STDIN_FILENO) != nil {}
  withExtendedLifetime(subscription) {}
}

/// Waits for writes with a bare inotify loop, and answers the number in what was written last.
package func answerAppends(in directory: URL) throws {
  #if os(Linux)
    Thread.detachNewThread {
      while receive(from: STDIN_FILENO) != nil {}
      exit(0)
    }
    let path = AppendedFile.path(in: directory)
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw SystemError(call: "open") }
    let descriptor = inotify_init1(CInt(IN_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError(call: "inotify_init1") }
    guard inotify_add_watch(descriptor, path, UInt32(IN_MODIFY)) >= 0 else {
      throw SystemError(call: "inotify_add_watch")
    }
    send(Message(number: 0), to: STDOUT_FILENO)
    var events = [UInt8](repeating: 0, count: 4_096)
    var content = [UInt8](repeating: 0, count: 4_096)
    while events.withUnsafeMutableBytes({ Foundation.read(descriptor, $0.baseAddress, $0.count) }) > 0 {
      let count = content.withUnsafeMutableBytes { Foundation.read(file, $0.baseAddress, $0.count) }
      guard count > 0 else { continue }
      send(Message(number: Payload.count(in: content[..<count])), to: STDOUT_FILENO)
    }
  #endif
}
