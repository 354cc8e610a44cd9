import CLibrary
import Dispatch
import FileSignals
import Foundation
import Signals

/// A socket of this process in a directory of a group, for other processes of the user.
final class LocalListener: Sendable {
  /// The directories of sockets, relative to the directory of a group; they are never switched with environments.
  static let graphs = ".shared/signals"
  static let edits = ".shared/edits"

  private let path: String
  private let source: FileDescriptorSource
  private let subscription = Guarded<SignalSubscription?>(nil)

  /// Returns a name for the sockets of this process; several publications of one process have different names.
  static func newName() -> String { "\(getpid())-\(String(UInt32.random(in: .min ... .max), radix: 36))" }

  /// Returns the identifier of the process to which the name of a socket belongs.
  static func process(of name: String) -> pid_t? { name.split(separator: "-").first.flatMap { pid_t($0) } }

  /// Creates a socket, and calls a closure on a queue for each connection, whose descriptor the closure must close.
  ///
  /// The sockets of processes that ended without removing them are removed.
  init(
    _ name: String, folder: String, of group: URL, on queue: DispatchQueue,
    _ connected: @escaping @Sendable (CInt) -> Void
  ) throws(InspectorError) {
    let directory = group.path + "/" + folder
    path = "\(directory)/\(name)"
    for path in [group.path + "/.shared", directory] where !makeDirectory(path) && errno != EEXIST {
      throw .failed(operation: "Publish signals", path: path, reason: errorWords(errno))
    }
    for entry in DirectoryEntry.list(directory) {
      if Self.process(of: entry.name) != nil, LocalSocket.isAbandoned(entry.name, in: directory) {
        unlink("\(directory)/\(entry.name)")
      }
    }
    let listener: CInt
    do {
      listener = try LocalSocket.listen(name, in: directory).release()
      source = try FileDescriptorSource(fileDescriptor: listener, closesDescriptor: true, queue: queue)
    } catch {
      throw .failed(operation: "Publish signals", path: folder, reason: "\(error)")
    }
    let accepting = source.sink { _ in
      while let socket = LocalSocket.accept(listener) { connected(socket.release()) }
    }
    subscription.withLock { $0 = accepting }
  }

  func end() {
    source.cancel()
    unlink(path)
    subscription.replace { $0.take() }
  }
}
