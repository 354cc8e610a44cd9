import Foundation

/// A request to follow a range of keys.
struct WatchRequest: Sendable, Encodable {
  var key: Data
  var rangeEnd: Data?

  /// The revision of the first event to receive.
  var startRevision: Int64

  private enum CodingKeys: String, CodingKey {
    case create = "create_request"
  }

  private enum Fields: String, CodingKey {
    case key
    case rangeEnd = "range_end"
    case startRevision = "start_revision"
    case progressNotify = "progress_notify"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    var fields = container.nestedContainer(keyedBy: Fields.self, forKey: .create)
    try fields.encode(key, forKey: .key)
    try fields.encodeIfPresent(rangeEnd, forKey: .rangeEnd)
    try fields.encode(integer: startRevision, .startRevision)
    try fields.encode(flag: true, .progressNotify)
  }
}

/// A change of a key.
struct WatchEvent: Sendable, Hashable, Decodable {
  var isDeletion: Bool
  var entry: EtcdEntry

  private enum CodingKeys: String, CodingKey {
    case type, kv
  }

  init(_ entry: EtcdEntry, isDeletion: Bool = false) {
    (self.entry, self.isDeletion) = (entry, isDeletion)
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    isDeletion = try container.decodeIfPresent(String.self, forKey: .type) == "DELETE"
    entry = try container.decode(EtcdEntry.self, forKey: .kv)
  }
}

/// One message of a watch.
struct WatchMessage: Sendable, Decodable {
  var header = EtcdHeader()

  /// The number of the watch; negative if the server refuses it.
  var watchID: Int64 = 0

  /// A Boolean value that indicates whether this is the first message of the watch.
  var isCreated = false

  /// A Boolean value that indicates whether the server ends the watch; the connection may stay open.
  var isCanceled = false

  /// The oldest revision that still exists, if the server ends the watch because its start has been compacted.
  var compactRevision: Int64 = 0

  var cancelReason = ""

  /// The changes; none in a progress notification.
  var events: [WatchEvent] = []

  private enum CodingKeys: String, CodingKey {
    case header, created, canceled, events
    case watchID = "watch_id"
    case compactRevision = "compact_revision"
    case cancelReason = "cancel_reason"
  }

  init() {}

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    header = try container.decodeIfPresent(EtcdHeader.self, forKey: .header) ?? EtcdHeader()
    watchID = try container.integer(.watchID)
    isCreated = try container.flag(.created)
    isCanceled = try container.flag(.canceled)
    compactRevision = try container.revision(.compactRevision)
    cancelReason = try container.decodeIfPresent(String.self, forKey: .cancelReason) ?? ""
    events = try container.decodeIfPresent([WatchEvent].self, forKey: .events) ?? []
  }
}

/// A line of a watch or of another stream: a message, or an error that ends the stream.
struct StreamLine<Message: Sendable & Decodable>: Sendable, Decodable {
  var result: Message?
  var error: EtcdFailure?
}

/// Splits a stream of bytes into lines of limited length.
struct LineSplitter: Sendable {
  /// A line is longer than the limit.
  struct TooLong: Error {}

  private let limit: Int
  private var unfinished = Data()

  /// The part of the unfinished line that has no line break.
  private var searched = 0

  init(limit: Int) {
    self.limit = limit
  }

  /// Adds bytes, and returns the lines that they complete, without the line breaks.
  mutating func append(_ bytes: Data) throws(TooLong) -> [Data] {
    unfinished.append(bytes)
    var lines: [Data] = []
    while let end = unfinished[(unfinished.startIndex + searched)...].firstIndex(of: UInt8(ascii: "\n")) {
      let line = unfinished[unfinished.startIndex..<end]
      guard line.count <= limit else { throw TooLong() }
      if !line.isEmpty { lines.append(Data(line)) }
      unfinished = unfinished[(end + 1)...]
      searched = 0
    }
    searched = unfinished.count
    guard unfinished.count <= limit else { throw TooLong() }
    // Without the bytes of earlier lines, which the slice would keep.
    if !lines.isEmpty { unfinished = Data(unfinished) }
    return lines
  }
}
