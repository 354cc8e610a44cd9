/// An event that a server has sent over a connection that stays open.
///
/// The format is `text/event-stream` of the HTML standard.
public struct ServerSentEvent: Sendable, Hashable {
  /// The kind of the event, by default `message`.
  public var name: String

  /// The lines of data, joined by line feeds.
  public var data: String

  /// The identifier of this event, or else of the last one that had an identifier.
  ///
  /// It is empty if the server has reset it, and `nil` if there has never been one.
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
///
/// It splits bytes, not characters: a character can consist of a colon and a mark that combines with it.
struct ServerSentEventParser {
  /// The maximum number of bytes of an event: of its data, and of the line that is being read.
  ///
  /// Comments, and lines that are not part of the data, do not count once they have ended.
  let limit: Int

  /// The identifier of the last event.
  private var lastEventID: String?

  private var line: [UInt8] = []
  private var isFirstLine = true
  private var isComment = false
  private var endsWithReturn = false
  private var name = ""

  /// The lines of data, each followed by a line feed.
  private var data: [UInt8] = []

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

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
      case _ where isComment: break
      case UInt8(ascii: ":") where line.isEmpty: isComment = true
      default:
        line.append(byte)
        if isFirstLine, line == Self.byteOrderMark {
          line = []
          isFirstLine = false
        }
        let size = data.count + line.count
        if size > limit { throw .tooLarge(size: size, limit: limit) }
      }
    }
    return events
  }

  /// Reads the line that has just ended, and returns the event that ends with it.
  private mutating func endLine() -> ServerSentEvent? {
    defer {
      line.removeAll(keepingCapacity: true)
      isComment = false
      isFirstLine = false
    }
    if isComment { return nil }
    if line.isEmpty { return endEvent() }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[colon...].dropFirst()
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    let field = line[..<colon]
    if field.elementsEqual("data".utf8) {
      data += value
      data.append(UInt8(ascii: "\n"))
    } else if field.elementsEqual("event".utf8) {
      name = String(decoding: value, as: UTF8.self)
    } else if field.elementsEqual("id".utf8), !value.contains(0) {
      lastEventID = String(decoding: value, as: UTF8.self)
    }
    // The field `retry` is ignored, because the policy decides about pauses.
    return nil
  }

  private mutating func endEvent() -> ServerSentEvent? {
    defer {
      name = ""
      data.removeAll(keepingCapacity: true)
    }
    if data.isEmpty { return nil }
    let text = String(decoding: data.dropLast(), as: UTF8.self)
    return ServerSentEvent(name: name.isEmpty ? "message" : name, data: text, id: lastEventID)
  }
}
