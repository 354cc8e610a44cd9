import FileSignals
import Foundation

/// A process that makes changes of the shared files that it has open.
struct EditingProcess: Sendable {
  private let name: String
  private let directory: String
  private let holder: LockHolder

  /// Returns the processes of a group that allow edits, in the order of the names of their sockets.
  static func all(in root: URL) -> [EditingProcess] {
    let directory = root.path + "/" + LocalListener.edits
    return DirectoryEntry.list(directory).compactMap { entry in
      LocalListener.process(of: entry.name).map {
        EditingProcess(name: entry.name, directory: directory, holder: LockHolder($0))
      }
    }
  }

  /// The process, as a result names it.
  var process: InspectorOutcome.Process {
    InspectorOutcome.Process(pid: holder.processIdentifier, name: holder.processName)
  }

  /// The lack of an answer, in words that follow the name of the process.
  struct Silence: Error {
    let reason: String
  }

  /// Sends a change, and waits for the answer.
  ///
  /// - Returns: The answer, or `nil` if the process has ended, so that it has received nothing.
  /// - Throws: ``Silence`` if no complete answer came in time. Unless the process received the change already, it will
  ///   not make it.
  func perform(_ edit: FileEdit) throws -> FileEdit.Answer? {
    let state = holder.isStopped ? ", and is stopped" : ""
    let socket: Descriptor
    do throws(LocalSocket.Failure) {
      socket = try LocalSocket.connect(name, in: directory)
    } catch {
      if error.isGone { return nil }
      throw Silence(reason: "does not accept the change\(state): \(error)")
    }
    let line = [UInt8](try InspectorJSON.encode(edit)) + [UInt8(ascii: "\n")]
    guard line.count <= FileEdit.requestLimit else {
      return FileEdit.Answer(result: .refused, reason: "the value has more than \(FileEdit.requestLimit) bytes")
    }
    let limit = FileEdit.answerTimeout
    guard LocalSocket.send(line, to: socket.number, within: FileEdit.transferLimit) else {
      throw Silence(reason: "did not read the change\(state)")
    }
    let answer = LocalSocket.receive(from: socket.number, within: limit, maximum: FileEdit.answerLimit)
    guard let answer else { throw Silence(reason: "did not answer within \(limit.components.seconds) s\(state)") }
    if answer.isEmpty { throw Silence(reason: "ended the connection without an answer") }
    do {
      return try InspectorJSON.decode(FileEdit.Answer.self, from: answer)
    } catch {
      throw Silence(reason: "sent an answer that cannot be read")
    }
  }
}
