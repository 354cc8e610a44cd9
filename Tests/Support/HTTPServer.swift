import CLibrary
public import Foundation
public import Signals

/// An HTTP server on a port of its own, which can hang, cut connections and send garbage.
///
/// It ends with its last reference. Each connection has its own thread and serves one request.
public final class HTTPServer: Sendable {
  /// A request.
  public struct Request: Sendable, Hashable {
    /// The first line, such as `GET /flags HTTP/1.1`.
    public var line: String

    /// The headers by name in lower case.
    public var headers: [String: String]
  }

  /// The way to treat a request.
  public enum Action: Sendable {
    /// Sends a complete answer.
    case respond(Int, headers: [String: String] = [:], body: String = "")

    /// Sends these bytes as they are, and closes the connection.
    case raw(String)

    /// Sends an answer that announces more bytes than it contains, and closes the connection.
    case cut(body: String)

    /// Sends nothing until a gate is open, and then an answer.
    case wait(Gate, status: Int, headers: [String: String] = [:], body: String = "")

    /// Sends an answer of unknown length with what a closure writes, and closes the connection when it returns.
    ///
    /// The argument of the closure sends a text, and returns whether the client was still connected.
    case stream(type: String = "text/event-stream", @Sendable (_ write: (String) -> Bool) -> Void)
  }

  /// An error of the server.
  public struct Failure: Error {
    let operation: String
    let number: CInt
  }

  /// The requests so far.
  public let requests = MutableProperty<[Request]>([])

  /// The address of the server.
  public let url: URL

  private let socket: CInt
  private let action: MutableProperty<@Sendable (Request) -> Action>

  /// Starts a server.
  public init(_ action: @escaping @Sendable (Request) -> Action) throws {
    self.action = MutableProperty(action)
    #if canImport(Glibc)
      let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let socket = CLibrary.socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let number = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> CInt in
        guard bind(socket, address, length) == 0, listen(socket, 64) == 0 else { return errno }
        return getsockname(socket, address, &length) == 0 ? 0 : errno
      }
    }
    guard socket >= 0, number == 0 else {
      close(socket)
      throw Failure(operation: "listen", number: number)
    }
    self.socket = socket
    guard let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/flags") else {
      throw Failure(operation: "name", number: 0)
    }
    self.url = url
    Thread { [weak self] in
      while true {
        let connection = accept(socket, nil, nil)
        guard connection >= 0 else { break }
        guard let self else {
          close(connection)
          break
        }
        Thread { self.serve(connection) }.start()
      }
      close(socket)
    }.start()
  }

  deinit {
    // It wakes the thread that accepts connections, which closes the socket.
    shutdown(socket, CInt(SHUT_RDWR))
  }

  /// Changes the way to treat later requests.
  public func answer(_ action: @escaping @Sendable (Request) -> Action) {
    self.action.value = action
  }

  private func serve(_ connection: CInt) {
    defer { close(connection) }
    guard let request = read(connection) else { return }
    let action = action.value(request)
    requests.modify { $0.append(request) }
    switch action {
    case .respond(let status, let headers, let body): write(Self.text(status, headers, body), connection)
    case .raw(let text): write(text, connection)
    case .cut(let body):
      write("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count + 100)\r\n\r\n\(body)", connection)
    case .wait(let gate, let status, let headers, let body):
      gate.block()
      write(Self.text(status, headers, body), connection)
    case .stream(let type, let body):
      write("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nConnection: close\r\n\r\n", connection)
      body { write($0, connection) }
    }
  }

  private static func text(_ status: Int, _ headers: [String: String], _ body: String) -> String {
    let lines = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
    return "HTTP/1.1 \(status) X\r\n\(lines)Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
  }

  private func read(_ connection: CInt) -> Request? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while !String(decoding: bytes, as: UTF8.self).contains("\r\n\r\n") {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      bytes += buffer[..<count]
    }
    let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      headers[line[..<colon].lowercased()] = value
    }
    return Request(line: lines[0], headers: headers)
  }

  @discardableResult
  private func write(_ text: String, _ connection: CInt) -> Bool {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      #if canImport(Darwin)
        let flags: CInt = 0
      #else
        let flags = CInt(MSG_NOSIGNAL)
      #endif
      let count = bytes[sent...].withUnsafeBytes { send(connection, $0.baseAddress, $0.count, flags) }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }
}
