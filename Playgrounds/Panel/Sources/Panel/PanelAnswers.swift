import Inspector

/// A snapshot with the place in the stream after which a client must continue.
struct SnapshotAnswer: Encodable {
  let snapshot: InspectorSnapshot
  let epoch: String
  let seq: String

  private enum CodingKeys: String, CodingKey {
    case epoch, seq, heartbeat
  }

  func encode(to encoder: any Encoder) throws {
    try snapshot.encode(to: encoder)
    // These take the place of the inspector's own members.
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(epoch, forKey: .epoch)
    try members.encode(seq, forKey: .seq)
    // A page tells by this how long silence may last.
    try members.encode(5, forKey: .heartbeat)
  }
}

/// A part of the text of a value.
struct TextAnswer: Encodable {
  let resource: String
  let version: String
  let offset: Int
  let total: Int
  let text: String
  let redacted: [String]
  let more: Bool

  private enum CodingKeys: String, CodingKey {
    case version, offset, total, text, redacted, more
    case resource = "r"
  }

  /// Creates the part of a text from a position on.
  ///
  /// A part begins and ends between two characters. So it may begin up to three bytes before the offset, and it has at
  /// least one character, even if that is longer than the limit.
  ///
  /// - Parameters:
  ///   - resource: A resource with its whole value.
  ///   - offset: The position of the first byte.
  ///   - limit: The largest size of the part, in bytes.
  /// - Throws: ``PanelFailure`` if the resource has no value.
  init(of resource: InspectedResource, from offset: Int, limit: Int = 1 << 20) throws(PanelFailure) {
    guard let value = resource.value else {
      let cause = resource.status == .large ? "it is too large to be read" : "it has no value in JSON"
      throw PanelFailure(
        code: "invalid", operation: "Show \(resource.id)", cause: cause, remedy: "Correct the request.")
    }
    let bytes = Array(value.fileText.utf8)
    let isInside = { (place: Int) in place < bytes.count && bytes[place] & 0xC0 == 0x80 }
    var start = min(max(0, offset), bytes.count)
    while isInside(start) { start -= 1 }
    var end = start + min(max(1, limit), bytes.count - start)
    while end > start, isInside(end) { end -= 1 }
    if end == start { repeat { end = min(end + 1, bytes.count) } while isInside(end) }
    (self.resource, version, redacted) = (resource.id, resource.version, resource.redacted ?? [])
    (self.offset, total, more) = (start, bytes.count, end < bytes.count)
    text = String(decoding: bytes[start..<end], as: UTF8.self)
  }
}

/// The last events of a log.
struct EventsAnswer: Encodable {
  let resource: String
  let entries: [InspectedEvent]

  /// A Boolean value that indicates whether there are older events.
  let more: Bool

  private enum CodingKeys: String, CodingKey {
    case entries, more
    case resource = "r"
  }

  /// Reads the last events of a log, at most 1,000.
  init(of log: String, limit: Int, in inspector: Inspector) async throws {
    let limit = min(max(1, limit), 1000)
    let events = try await inspector.events(of: log, limit: limit + 1)
    (resource, entries, more) = (log, events.suffix(limit), events.count > limit)
  }
}
