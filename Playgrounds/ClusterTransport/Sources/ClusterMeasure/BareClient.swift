import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A client that does the least: one kept socket, blocking calls, and texts instead of decoded messages.
final class BareClient {
  struct Failure: Error {}

  private let socket: CInt
  private var unread = Data()

  init(port: UInt16) throws {
    #if canImport(Glibc)
      socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    #else
      socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var yes: CInt = 1
    setsockopt(socket, CInt(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<CInt>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, length) }
    }
    guard result == 0 else { throw Failure() }
  }

  deinit { close(socket) }

  /// Sends a request, and returns the body of the response.
  func post(_ path: String, _ body: String) throws -> String {
    try request(path, body)
    let head = try line(endingWith: "\r\n\r\n")
    guard let count = head.firstMatch(of: /Content-Length: ([0-9]+)/.ignoresCase()).flatMap({ Int($0.1) }) else {
      throw Failure()
    }
    while unread.count < count { try receive() }
    defer { unread = Data(unread.dropFirst(count)) }
    return String(decoding: unread.prefix(count), as: UTF8.self)
  }

  /// Sends a request whose response does not end.
  func request(_ path: String, _ body: String) throws {
    let text = "POST /\(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    let data = Array(text.utf8)
    guard send(socket, data, data.count, 0) == data.count else { throw Failure() }
  }

  /// Waits for bytes, and returns all up to an end.
  func line(endingWith end: String) throws -> String {
    while true {
      if let range = unread.firstRange(of: Data(end.utf8)) {
        defer { unread = Data(unread[range.upperBound...]) }
        return String(decoding: unread[..<range.upperBound], as: UTF8.self)
      }
      try receive()
    }
  }

  private func receive() throws {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = recv(socket, &buffer, buffer.count, 0)
    guard count > 0 else { throw Failure() }
    unread.append(contentsOf: buffer[..<count])
  }
}

/// The part of etcd's messages that the bare client uses.
enum Bare {
  static func encoded(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  /// Increments a key by compare-and-swap, so many times.
  static func count(_ times: Int, port: UInt16) throws {
    let client = try BareClient(port: port)
    let key = encoded("bare/count")
    var (revision, number) = ("0", 0)
    var made = 0
    while made < times {
      let answer = try client.post(
        "v3/kv/txn",
        """
        {"compare":[{"key":"\(key)","target":"MOD","result":"EQUAL","mod_revision":"\(revision)"}],\
        "success":[{"request_put":{"key":"\(key)","value":"\(encoded("\(number + 1)"))"}}],\
        "failure":[{"request_range":{"key":"\(key)"}}]}
        """)
      if answer.contains("\"succeeded\":true") {
        made += 1
        number += 1
        revision = answer.firstMatch(of: /"revision":"([0-9]+)"/).map { String($0.1) } ?? "0"
      } else {
        revision = answer.firstMatch(of: /"mod_revision":"([0-9]+)"/).map { String($0.1) } ?? "0"
        let value = answer.firstMatch(of: /"value":"([^"]+)"/).flatMap { Data(base64Encoded: String($0.1)) }
        number = value.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
      }
    }
  }
}
