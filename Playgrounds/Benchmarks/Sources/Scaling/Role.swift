import AppGroups
import Foundation
import Machine

/// The task of another process of this executable.
enum Role: String {
  case subscriber, rawReader, updater, rawUpdater
  case logSubscriber, rawLogReader, logProducer, rawLogProducer

  /// The role of this process, if another one started it for a role.
  static var current: Role? { OtherProcess.role.flatMap(Role.init) }

  /// Plays the role until standard input ends, and exits.
  func play() {
    let directory = OtherProcess.directory
    do {
      switch self {
      case .subscriber: try answerSharedValues(in: directory)
      case .rawReader:
        var content = [UInt8](repeating: 0, count: 4_096)
        try answerRenames(in: directory) { url in
          let count = try Bare.read(url.path, into: &content)
          return Payload.count(in: content[..<count])
        }
      case .updater: try updateSharedFile(in: directory)
      case .rawUpdater: try updateRawFile(in: directory)
      case .logSubscriber: try answerEvents(in: directory)
      case .rawLogReader: try answerAppends(in: directory)
      case .logProducer: try appendEvents(in: directory)
      case .rawLogProducer: try appendRecords(in: directory)
      }
      exit(0)
    } catch {
      FileHandle.standardError.write(Data("A process could not play \(self): \(error)\n".utf8))
      exit(1)
    }
  }
}

/// Appends as many events as each message says.
private func appendEvents(in directory: URL) throws {
  let log = try sharedLog(in: directory)
  send(Message(number: 0), to: STDOUT_FILENO)
  while let message = receive(from: STDIN_FILENO) {
    for number in 0..<message.number { try log.append(Payload(count: number)) }
    send(message, to: STDOUT_FILENO)
  }
}

/// Appends as many records as each message says, with one system call each.
private func appendRecords(in directory: URL) throws {
  let file = try AppendedFile(in: directory)
  send(Message(number: 0), to: STDOUT_FILENO)
  while let message = receive(from: STDIN_FILENO) {
    for number in 0..<message.number { try file.append(Payload.bytes(count: number)) }
    send(message, to: STDOUT_FILENO)
  }
}
