import Foundation

/// Parses a response of HTTP/1.1, in any partition of its bytes.
///
/// It consists of values only, and accesses no socket.
struct ResponseParser: Sendable {
  /// The bytes are not a response.
  struct Malformed: Error {
    let reason: String
  }

  private enum State: Sendable, Hashable {
    case head
    /// The rest of a body of known length.
    case body(Int)
    /// A body that ends with the connection.
    case untilEnd
    case chunkSize
    /// The rest of a chunk, with the line break after it.
    case chunk(Int)
    /// The lines after the last chunk.
    case trailer
    case done
  }

  private var state = State.head
  private var unread = Data()

  /// The status; `nil` before the head is complete.
  private(set) var status: Int?

  /// A Boolean value that indicates whether the connection can be used for another request afterwards.
  private(set) var keepsConnection = true

  /// A Boolean value that indicates whether the response is complete.
  var isDone: Bool { state == .done }

  /// The largest size of the head, and of a line between chunks.
  private static let lineLimit = 64 << 10

  /// Adds bytes, and returns the part of the body that they contain.
  mutating func append(_ bytes: Data) throws(Malformed) -> Data {
    unread.append(bytes)
    var body = Data()
    while try step(&body) {}
    unread = Data(unread)
    return body
  }

  /// Records that the connection has ended.
  ///
  /// - Returns: `true` if the response is complete.
  mutating func end() -> Bool {
    if state == .untilEnd { state = .done }
    return isDone
  }

  /// Parses the next part; returns `false` if more bytes are needed, or the response is complete.
  private mutating func step(_ body: inout Data) throws(Malformed) -> Bool {
    switch state {
    case .head:
      guard let line = try line() else { return false }
      try parseHead(line)
    case .body(let count):
      guard take(count, into: &body) else { return false }
      let rest = count - taken
      state = rest == 0 ? .done : .body(rest)
      return rest == 0 ? false : !unread.isEmpty
    case .untilEnd:
      body.append(unread)
      unread = Data()
      return false
    case .chunkSize:
      guard let line = try line() else { return false }
      let digits = line.prefix { $0 != UInt8(ascii: ";") }
      guard let size = Int(String(decoding: digits, as: UTF8.self).trimmingCharacters(in: .whitespaces), radix: 16),
        size >= 0, size < 1 << 40
      else { throw Malformed(reason: "a chunk has no size") }
      state = size == 0 ? .trailer : .chunk(size + 2)
    case .chunk(let count):
      // The last two bytes are the line break.
      if count > 2 {
        guard take(count - 2, into: &body) else { return false }
        state = .chunk(count - taken)
        return !unread.isEmpty
      }
      guard unread.count >= count else { return false }
      unread = unread.dropFirst(count)
      state = .chunkSize
    case .trailer:
      guard let line = try line() else { return false }
      if line.isEmpty { state = .done }
    case .done: return false
    }
    return true
  }

  /// The number of bytes that the last call of `take` moved.
  private var taken = 0

  /// Moves at most `count` unread bytes to the body; returns `false` if there are none although some are missing.
  private mutating func take(_ count: Int, into body: inout Data) -> Bool {
    let part = unread.prefix(count)
    taken = part.count
    body.append(part)
    unread = unread.dropFirst(taken)
    return taken > 0 || count == 0
  }

  /// Removes a line, without its line break; returns `nil` if it is not complete.
  private mutating func line() throws(Malformed) -> Data? {
    guard let end = unread.firstIndex(of: UInt8(ascii: "\n")) else {
      guard unread.count <= Self.lineLimit else { throw Malformed(reason: "a line of the head is too long") }
      return nil
    }
    var line = unread[unread.startIndex..<end]
    if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
    unread = unread[(end + 1)...]
    return Data(line)
  }

  /// The fields of the head that decide where the body ends.
  private var length: Int?
  private var isChunked = false

  /// Parses one line of the head.
  private mutating func parseHead(_ line: Data) throws(Malformed) {
    let text = String(decoding: line, as: UTF8.self)
    guard let status else {
      let words = text.unicodeScalars.split(separator: " ").map { String($0) }
      guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let number = Int(words[1]) else {
        throw Malformed(reason: "the answer is not HTTP/1.1")
      }
      self.status = number
      if words[0] == "HTTP/1.0" { keepsConnection = false }
      return
    }
    if line.isEmpty {
      // An interim response, which another one follows.
      if (100..<200).contains(status) {
        self.status = nil
      } else if isChunked {
        state = .chunkSize
      } else if let length {
        state = length == 0 ? .done : .body(length)
      } else if status == 204 || status == 304 {
        state = .done
      } else {
        keepsConnection = false
        state = .untilEnd
      }
      return
    }
    guard let colon = text.unicodeScalars.firstIndex(of: ":") else {
      throw Malformed(reason: "a line of the head has no colon")
    }
    let value = text[text.unicodeScalars.index(after: colon)...].trimmingCharacters(in: .whitespaces).lowercased()
    switch text[..<colon].lowercased() {
    case "content-length":
      guard let count = Int(value), count >= 0 else { throw Malformed(reason: "the length of the body is no number") }
      length = count
    case "transfer-encoding": isChunked = value.hasSuffix("chunked")
    case "connection": if value.contains("close") { keepsConnection = false }
    default: break
    }
  }
}
