import AppGroups
package import Foundation

/// Updates the shared file as often as each message says.
package func updateSharedFile(in directory: URL) throws {
  let file = try sharedFile(in: directory)
  send(Message(number: 0), to: STDOUT_FILENO)
  while let message = receive(from: STDIN_FILENO) {
    for _ in 0..<message.number { try file.update { $0.count += 1 } }
    send(message, to: STDOUT_FILENO)
  }
}

/// Does the same with nothing but system calls.
package func updateRawFile(in directory: URL) throws {
  let path = directory.appending(path: "value.json").path
  let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
  guard lock >= 0, flock(lock, LOCK_EX) == 0 else { throw SystemError(call: "flock") }
  if access(path, F_OK) != 0 { try Bare.replace(path, by: Payload.bytes(count: 0)) }
  flock(lock, LOCK_UN)
  send(Message(number: 0), to: STDOUT_FILENO)

  var content = [UInt8](repeating: 0, count: 4_096)
  while let message = receive(from: STDIN_FILENO) {
    for _ in 0..<message.number {
      guard flock(lock, LOCK_EX) == 0 else { throw SystemError(call: "flock") }
      let count = try Bare.read(path, into: &content)
      try Bare.replace(path, by: Payload.bytes(count: Payload.count(in: content[..<count]) + 1))
      flock(lock, LOCK_UN)
    }
    send(message, to: STDOUT_FILENO)
  }
}
