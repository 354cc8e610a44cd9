import StrictJSON

/// The signals that a process publishes; see ``Inspector/publish(in:allowingEdits:)``.
package struct InspectedGraph: Sendable, Hashable, Codable {
  /// A source of values.
  package struct Node: Sendable, Hashable, Codable, Identifiable {
    /// The identifier, which is unique in the graph.
    package var id: String
    /// The name under which the source is registered, or a description of an unregistered one.
    package var name: String
    /// The kind: `emitter`, `property`, `derived` or `source`.
    package var kind: String
    /// The type of the values.
    package var type: String
    /// The place in the code where the source was registered.
    package var place: String
    /// The current value, if the app registered a closure that describes it.
    package var value: String?
    /// The number of active subscriptions.
    package var subscribers: Int
    /// The number of changes so far, as a decimal number.
    ///
    /// For an emitter, it is the number of values since inspectors began to ask. The values of an emitter are counted
    /// only while they do.
    package var changes: String?
    /// The changes per second; `nil` if there was none in the last minute.
    package var rate: InspectedResource.Rate?
    /// A Boolean value that indicates whether the source is not registered, and known only as an input.
    package var `internal`: Bool
  }

  /// A dependency: the second source is computed from the first.
  package struct Edge: Sendable, Hashable, Codable {
    /// The identifier of the input.
    package var from: String
    /// The identifier of the derived source.
    package var to: String
  }

  /// A subscription.
  package struct Consumer: Sendable, Hashable, Codable {
    /// The identifier of the source.
    package var node: String
    /// The operators and the consumer.
    package var steps: [String]
    /// The place in the code where the consumer subscribed.
    package var place: String?
  }

  /// A shared file that the process has open, and changes for inspectors.
  package struct File: Sendable, Hashable, Codable {
    /// The path, relative to the directory of the group.
    package var path: String
    /// The type of the value.
    package var type: String
  }

  /// The identifier of the ``InspectedProcess``.
  package var process: String

  /// The process identifier.
  package var pid: Int32

  /// The number of states that were not sent because the inspector did not read them in time.
  package var dropped: Int

  /// The sources.
  package var nodes: [Node]

  /// The dependencies.
  package var edges: [Edge]

  /// The subscriptions.
  package var consumers: [Consumer]

  /// The files that inspectors may edit through the process; `nil` if it does not allow edits.
  package var files: [File]?
}

extension InspectedGraph {
  /// The graph as ``InspectorJSON`` encodes it, at a tenth of its cost.
  ///
  /// The process that is inspected pays for each answer.
  package var json: [UInt8] {
    var line = JSONLine(capacity: 200 * (nodes.count + consumers.count))
    line.object {
      $0.array("consumers", consumers) { consumer, line in
        line.text("node", consumer.node)
        line.text("place", consumer.place)
        line.strings("steps", consumer.steps)
      }
      $0.plain("dropped", dropped)
      $0.array("edges", edges) { edge, line in
        line.text("from", edge.from)
        line.text("to", edge.to)
      }
      if let files {
        $0.array("files", files) { file, line in
          line.text("path", file.path)
          line.text("type", file.type)
        }
      }
      $0.array("nodes", nodes) { $0.members(of: &$1) }
      $0.plain("pid", Int(pid))
      $0.text("process", process)
    }
    return line.bytes
  }
}

extension InspectedGraph.Node {
  fileprivate func members(of line: inout JSONLine) {
    line.text("changes", changes)
    line.text("id", id)
    line.plain("internal", `internal`)
    line.text("kind", kind)
    line.text("name", name)
    line.text("place", place)
    if let rate {
      line.object("rate") {
        $0.plain("s1", rate.perSecond)
        $0.plain("s60", rate.perSecondInMinute)
      }
    }
    line.plain("subscribers", subscribers)
    line.text("type", type)
    line.text("value", value)
  }
}

/// JSON that is written from left to right.
private struct JSONLine {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  private mutating func begin(_ name: StaticString) {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    bytes.append(JSONByte.quote)
    name.withUTF8Buffer { bytes += $0 }
    bytes.append(JSONByte.quote)
    bytes.append(UInt8(ascii: ":"))
    needsComma = true
  }

  /// Writes the members of an object.
  mutating func object(_ members: (inout Self) -> Void) {
    bytes.append(UInt8(ascii: "{"))
    needsComma = false
    members(&self)
    bytes.append(UInt8(ascii: "}"))
    needsComma = true
  }

  mutating func object(_ name: StaticString, _ members: (inout Self) -> Void) {
    begin(name)
    object(members)
  }

  /// Writes an array of objects.
  mutating func array<Element>(
    _ name: StaticString, _ elements: [Element], _ members: (Element, inout Self) -> Void
  ) {
    begin(name)
    list(elements) { element, line in line.object { members(element, &$0) } }
  }

  mutating func strings(_ name: StaticString, _ elements: [String]) {
    begin(name)
    list(elements) { JSONText.append(quoted: $0, to: &$1.bytes) }
  }

  private mutating func list<Element>(_ elements: [Element], _ body: (Element, inout Self) -> Void) {
    bytes.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      body(element, &self)
    }
    bytes.append(UInt8(ascii: "]"))
    needsComma = true
  }

  /// Writes a text, or nothing.
  mutating func text(_ name: StaticString, _ text: String?) {
    guard let text else { return }
    begin(name)
    JSONText.append(quoted: text, to: &bytes)
  }

  /// Writes a number or a Boolean value.
  mutating func plain(_ name: StaticString, _ value: some CustomStringConvertible) {
    begin(name)
    bytes += value.description.utf8
  }
}
