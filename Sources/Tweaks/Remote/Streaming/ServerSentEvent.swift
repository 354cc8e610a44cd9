/// An event that a server has sent over a connection that stays open.
///
/// The format is `text/event-stream` of the HTML standard.
public struct ServerSentEvent: Sendable, Hashable {
  /// The kind of the event, by default `message`.
  public var name: String

  /// The lines of data, joined by line feeds.
  public var data: String

  /// The identifier of this event, or else of the last one that had an identifier.
  public var id: String?

  /// Creates an event.
  ///
  /// - Parameters:
  ///   - name: The kind of the event.
  ///   - data: The lines of data.
  ///   - id: The identifier.
  public init(name: String = "message", data: String, id: String? = nil) {
    self.name = name
    self.data = data
    self.id = id
  }
}

/// A parser of server-sent events, which receives the bytes in parts of any size.
struct ServerSentEventParser {
  /// The maximum number of bytes of an event.
  let limit: Int

  /// The identifier of the last event.
  private(set) var lastEventID: String?

  private var line: [UInt8] = []
  private var isFirstLine = true
  private var endsWithReturn = false
  private var name = ""
  private var data: [String] = []
  private var size = 0

  init(limit: Int, lastEventID: String? = nil) {
    self.limit = limit
    self.lastEventID = lastEventID
  }

  /// Returns the events that are complete with these bytes.
  mutating func parse(_ bytes: some Sequence<UInt8>) throws(TweakRequestFailure) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    for byte in bytes {
      let followsReturn = endsWithReturn
      endsWithReturn = byte == UInt8(ascii: "\r")
      switch byte {
      case UInt8(ascii: "\n") where followsReturn: break
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        if let event = endLine() { events.append(event) }
      default:
        line.append(byte)
        if size + line.count > limit { throw .tooLarge(size: size + line.count, limit: limit) }
      }
    }
    return events
  }

  /// Reads the line that has just ended, and returns the event that ends with it.
  private mutating func endLine() -> ServerSentEvent? {
    var text = String(decoding: line, as: UTF8.self)
    line.removeAll(keepingCapacity: true)
    if isFirstLine, text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
    isFirstLine = false
    if text.isEmpty { return endEvent() }
    size += text.utf8.count
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    var value = parts.count > 1 ? parts[1] : ""
    if value.first == " " { value.removeFirst() }
    switch parts[0] {
    case "data": data.append(String(value))
    case "event": name = String(value)
    case "id": if !value.contains("\0") { lastEventID = String(value) }
    // Comments, which keep the connection open, and the pause, which the policy decides.
    default: break
    }
    return nil
  }

  private mutating func endEvent() -> ServerSentEvent? {
    defer { (name, data, size) = ("", [], 0) }
    guard !data.isEmpty else { return nil }
    let id = lastEventID.flatMap { $0.isEmpty ? nil : $0 }
    return ServerSentEvent(name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"), id: id)
  }
}
