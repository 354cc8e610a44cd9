import Dispatch
import Foundation

/// What is written to and read from another process.
package struct Message {
  /// A value, or a number of operations.
  package var number: Int

  /// The system's monotonic clock, which all processes share.
  package var time = Int(DispatchTime.now().uptimeNanoseconds)

  package init(number: Int) {
    self.number = number
  }
}

/// Writes a message, in one system call.
package func send(_ message: Message, to descriptor: CInt) {
  var message = message
  _ = withUnsafeBytes(of: &message) { write(descriptor, $0.baseAddress, $0.count) }
}

/// Waits for a message; `nil` at the end, or if none comes for as long as a benchmark may wait.
package func receive(from descriptor: CInt, timeout: Duration? = nil) -> Message? {
  var readiness = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  let milliseconds = timeout.map { CInt($0 / .milliseconds(1)) } ?? -1
  guard poll(&readiness, 1, milliseconds) == 1 else { return nil }
  var message = Message(number: 0)
  let count = withUnsafeMutableBytes(of: &message) { read(descriptor, $0.baseAddress, $0.count) }
  return count == MemoryLayout<Message>.size ? message : nil
}
