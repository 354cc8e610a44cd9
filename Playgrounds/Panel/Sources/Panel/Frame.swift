import Foundation
import Inspector

/// A frame of the stream of events, without its identifier, which depends on the client.
struct Frame: Sendable {
  /// The number of the frame in the ring; `nil` for one that is not in it.
  let position: Int?

  /// The text of the frame.
  let bytes: [UInt8]

  /// The sequence and the number of changes, if the frame is a change.
  let change: (sequence: String, count: Int)?

  init(_ event: String, _ value: some Encodable, position: Int?, change: (sequence: String, count: Int)? = nil) {
    (self.position, self.change) = (position, change)
    let json: String
    do {
      json = String(decoding: try PanelJSON.encode(value), as: UTF8.self)
    } catch {
      // A number that JSON cannot represent, such as an infinite one in a database.
      json = "{}"
    }
    bytes = Array("event: \(event)\ndata: \(json)\n\n".utf8)
  }

  /// A comment, which shows that the connection is alive.
  static let heartbeat = Array(": 5s\n\n".utf8)
}

/// The first event of each stream.
struct HelloEvent: Encodable {
  /// The version of the protocol, the same as in a snapshot.
  var `protocol` = 1
  let epoch: String
  let seq: String
  let writable: Bool
  let resumed: Bool
}

/// The latest state of resources.
struct StateEvent: Encodable {
  var resources: [InspectedResource] = []
  var removed: [String] = []
  var processes: [InspectedProcess]?
  var problems: [InspectedProblem]?
}

extension StateEvent {
  /// Creates the event for everything that an update changed.
  init(_ update: InspectorUpdate) {
    self.init(
      resources: update.resources, removed: update.removed, processes: update.processes, problems: update.problems)
  }
}

/// Changes that the stream leaves out.
struct GapEvent: Encodable {
  let from: String
  var to: String
  var skipped: Int
  let reason: String
}

/// A request to read the snapshot again.
struct ResetEvent: Encodable {
  let epoch: String
  let seq: String
  let reason: String
}
