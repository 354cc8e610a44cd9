import Dispatch
import FileSignals
import Foundation
import Signals

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
