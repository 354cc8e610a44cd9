public import AppGroups
import Dispatch
import FileSignals
import Foundation
public import Signals

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Inspector {
  /// Shows the registered signals of this process to inspectors of a group.
  ///
  /// The signals are those of the `SourceRegistry`: their names, dependencies, subscriptions and numbers of changes. A
  /// value is shown only if it was registered with a closure that describes it. Call this in builds for development.
  ///
  /// ```swift
  /// import AppGroups
  /// import Foundation
  /// import Inspector
  /// import Signals
  ///
  /// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  /// let container = try AppGroupsContainer(directory: directory)
  /// let volume = MutableProperty(5).registered(as: "volume") { "\($0) of 10" }
  /// let publication = try Inspector.publish(in: container)
  /// // Inspectors of the directory see the signals now.
  /// publication.cancel()
  /// withExtendedLifetime(volume) {}
  /// try FileManager.default.removeItem(at: directory)
  /// ```
  ///
  /// - **Transport:** A Unix socket in a directory that only the user may enter. Processes of other users are refused.
  /// - **Cost:** None while no inspector runs. An inspector asks at most ten times a second; the answer is made on a
  ///   queue of its own. An inspector that does not read is dropped, and the number of dropped answers is shown.
  /// - **Descriptions:** The closures that describe values run on that queue, whenever an inspector asks.
  ///
  /// - Parameter container: The container of the group.
  /// - Returns: A token that ends the publication when it is cancelled or released.
  /// - Throws: ``InspectorError`` if the socket cannot be created.
  public static func publish(in container: AppGroupsContainer) throws(InspectorError) -> SignalSubscription {
    let publisher = try GraphPublisher(in: container.containerURL)
    return SignalSubscription { publisher.end() }
  }
}

/// Answers the connections of inspectors with the signals of this process.
final class GraphPublisher: Sendable {
  private let directory: String
  private let name: String
  private let source: FileDescriptorSource
  private let queue: DispatchQueue
  private let state = Guarded(State())

  private struct State {
    var subscription: SignalSubscription?
    var dropped = 0
    var last: (time: ContinuousClock.Instant, bytes: [UInt8])?
  }

  init(in group: URL) throws(InspectorError) {
    let directory = group.path + "/" + LocalSocket.folder
    // Several publications of one process have different names.
    let name = "\(getpid())-\(String(UInt16.random(in: .min ... .max), radix: 36))"
    for path in [group.path + "/.shared", directory] where mkdir(path, 0o700) != 0 && errno != EEXIST {
      throw .failed(operation: "Publish signals", path: path, reason: errorWords(errno))
    }
    (self.directory, self.name) = (directory, name)
    queue = DispatchQueue(label: "org.signals.inspector.publisher", qos: .utility)
    Self.removeStale(in: directory)
    let listener: CInt
    do {
      listener = try LocalSocket.listen(name, in: directory).release()
      source = try FileDescriptorSource(fileDescriptor: listener, closesDescriptor: true, queue: queue)
    } catch {
      throw .failed(operation: "Publish signals", path: LocalSocket.folder, reason: "\(error)")
    }
    let subscription = source.sink { [weak self] _ in self?.answer(listener) }
    state.withLock { $0.subscription = subscription }
  }

  /// Removes the sockets of processes that ended without removing them.
  private static func removeStale(in directory: String) {
    for entry in DirectoryEntry.list(directory) {
      guard let process = entry.name.split(separator: "-").first.flatMap({ pid_t($0) }) else { continue }
      if kill(process, 0) != 0, errno == ESRCH { unlink("\(directory)/\(entry.name)") }
    }
  }

  func end() {
    source.cancel()
    unlink("\(directory)/\(name)")
    state.replace { $0.subscription.take() }
  }

  private func answer(_ listener: CInt) {
    while let socket = LocalSocket.accept(listener) {
      let number = socket.release()
      Task { [self] in
        let bytes = await content()
        queue.async { [self] in
          if !LocalSocket.send(bytes, to: number, within: .milliseconds(200)) { state.withLock { $0.dropped += 1 } }
          close(number)
        }
      }
    }
  }

  /// Returns the signals as JSON, as they were at most a tenth of a second ago.
  private func content() async -> [UInt8] {
    let (last, dropped) = state.withLock { ($0.last, $0.dropped) }
    if let last, last.time.duration(to: .now) < .milliseconds(100) { return last.bytes }
    let graph = await InspectedGraph.ofThisProcess(dropped: dropped)
    var bytes: [UInt8] = []
    do {
      bytes = [UInt8](try InspectorJSON.encode(graph))
    } catch {
      // Texts and numbers can always be encoded.
    }
    let made = bytes
    state.withLock { $0.last = (.now, made) }
    return bytes
  }
}

extension InspectedGraph {
  /// Returns the registered signals of this process.
  static func ofThisProcess(dropped: Int) async -> InspectedGraph {
    let sources = SourceRegistry.sources
    let pid = ProcessInfo.processInfo.processIdentifier
    var graph = InspectedGraph(process: "", pid: pid, dropped: dropped, nodes: [], edges: [], consumers: [])
    var names: [String: String] = [:]
    for (index, source) in sources.enumerated() { names[source.name] = "n\(index)" }
    for (index, source) in sources.enumerated() {
      let id = "n\(index)"
      graph.nodes.append(
        Node(
          id: id, name: source.name, kind: "\(source.kind)", type: source.valueType, place: source.place,
          value: source.valueDescription, subscribers: source.subscriberCount,
          changes: source.changeCount.map { "\($0)" }, internal: false))
      for input in source.inputs {
        let known = names[input] ?? "i\(names.count)"
        if names[input] == nil {
          names[input] = known
          graph.nodes.append(
            Node(id: known, name: input, kind: "source", type: "", place: "", subscribers: 0, internal: true))
        }
        graph.edges.append(Edge(from: known, to: id))
      }
      for trace in await source.subscriptions() {
        graph.consumers.append(Consumer(node: id, steps: trace.steps, place: trace.place))
      }
    }
    return graph
  }
}
