import Dispatch
import FileSignals
import Foundation
import Signals

/// A change of a shared file that an inspector asks another process to make, which has the file open.
///
/// It is sent as one line of JSON. The answer is JSON up to the end of the connection. A process makes the change only
/// while the inspector keeps the connection open.
struct FileEdit: Sendable, Codable {
  /// The path of the file, relative to the directory of the group.
  var path: String

  /// The version of the content on which the change is based.
  var version: String

  /// The new content.
  var content: String

  /// A Boolean value that indicates whether to check the change without making it.
  var isDry: Bool

  /// The answer to a change.
  struct Answer: Sendable, Codable {
    enum Result: String, Sendable, Codable {
      /// The change was made, or would be.
      case done
      /// The process does not have the file open.
      case unknown
      /// The file has another version than the one on which the change is based.
      case changed
      /// The content is not a value of the type, or the process cannot write it.
      case refused
    }

    var result: Result

    /// The reason, if the change was refused.
    var reason: String?

    /// The stored content, if the change was made.
    var content: String?
  }

  /// The largest request in bytes: a file of the largest size that the inspector reads, with all quotes escaped.
  static let requestLimit = 4 * ReadFile.limit

  /// The largest answer in bytes.
  static let answerLimit = 2 * requestLimit

  /// The time within which a request must arrive, and an answer be read.
  static let transferLimit = Duration.seconds(1)

  /// The longest time for which an inspector waits for an answer.
  static let answerTimeout = Duration.seconds(5)
}

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

/// Makes changes of the shared files that this process has open, for inspectors.
final class EditPublisher: Sendable {
  private let files: EditableFiles
  private let queue = DispatchQueue(label: "org.signals.inspector.edits", qos: .userInitiated)

  /// The largest number of connections that wait for the queue; further ones are closed at once.
  private static let most = 8

  /// The number of connections that wait for the queue.
  private let waiting = Guarded(0)
  private let listener = Guarded<LocalListener?>(nil)

  init(_ name: String, in group: URL) throws(InspectorError) {
    files = EditableFiles(in: group)
    let accepting = DispatchQueue(label: "org.signals.inspector.accepting", qos: .utility)
    let made = try LocalListener(name, folder: LocalListener.edits, of: group, on: accepting) { [weak self] number in
      if let socket = Descriptor(number) { self?.accept(socket) }
    }
    listener.withLock { $0 = made }
  }

  func end() { listener.withLock { $0 }?.end() }

  /// Answers a connection later, unless too many wait already.
  private func accept(_ socket: consuming Descriptor) {
    let isAdmitted = waiting.withLock { waiting in
      guard waiting < Self.most else { return false }
      waiting += 1
      return true
    }
    guard isAdmitted else { return }
    // The end of the closure closes the connection.
    let socket = socket
    queue.async { [self] in
      serve(socket)
      waiting.withLock { $0 -= 1 }
    }
  }

  private func serve(_ socket: borrowing Descriptor) {
    let number = socket.number
    let limit = FileEdit.transferLimit
    let line = LocalSocket.receive(from: number, within: limit, maximum: FileEdit.requestLimit, isLine: true)
    let answer = answer(line) { !LocalSocket.isClosed(number) }
    do {
      _ = LocalSocket.send([UInt8](try InspectorJSON.encode(answer)), to: number, within: limit)
    } catch {
      // Texts can always be encoded.
    }
  }

  private func answer(_ line: Data?, isWanted: () -> Bool) -> FileEdit.Answer {
    guard let line else {
      let reason = "the request did not arrive within 1 s, or has more than \(FileEdit.requestLimit) bytes"
      return FileEdit.Answer(result: .refused, reason: reason)
    }
    do {
      return files.perform(try InspectorJSON.decode(FileEdit.self, from: line), isWanted: isWanted)
    } catch {
      return FileEdit.Answer(result: .refused, reason: "the request is not a change of a file")
    }
  }
}
