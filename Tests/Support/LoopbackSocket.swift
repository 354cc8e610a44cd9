import CLibrary
import Foundation
import Signals

/// A TCP socket of the loopback interface, whose calls block.
final class LoopbackSocket: Sendable {
  /// An error of a socket.
  struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ operation: String) { description = "\(operation): \(String(cString: strerror(errno)))" }
  }

  private let descriptor: CInt

  /// The port that the socket is bound to; 0 for accepted sockets.
  let port: UInt16

  private init(descriptor: CInt, port: UInt16 = 0) {
    (self.descriptor, self.port) = (descriptor, port)
    #if canImport(Darwin)
      var yes: CInt = 1
      setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<CInt>.size))
    #endif
  }

  deinit { close(descriptor) }

  private static func open() throws -> CInt {
    #if canImport(Glibc)
      let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { throw Failure("socket") }
    return descriptor
  }

  private static func withAddress(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

  /// Connects to a port, and limits the time of each later call.
  static func connect(to port: UInt16, timeout: Int = 30) throws -> LoopbackSocket {
    let descriptor = try open()
    let socket = LoopbackSocket(descriptor: descriptor)
    var time = timeval()
    time.tv_sec = timeout
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
    }
    let result = withAddress(port) { CLibrary.connect(descriptor, $0, $1) }
    guard result == 0 else { throw Failure("connect") }
    return socket
  }

  private static let chosenPorts = Changeable<Set<UInt16>>([])

  /// Binds a socket to a port that nothing uses, and that this process has not chosen before.
  ///
  /// It is not among those that systems choose for outgoing connections, so that a server finds it free again, unless
  /// another process takes it in the meantime.
  static func bound() throws -> LoopbackSocket {
    for _ in 0..<1000 {
      let port = UInt16.random(in: 11_000..<32_000)
      guard chosenPorts.change({ $0.insert(port).inserted }) else { continue }
      let descriptor = try open()
      if withAddress(port, { bind(descriptor, $0, $1) }) == 0 {
        return LoopbackSocket(descriptor: descriptor, port: port)
      }
      close(descriptor)
    }
    throw Failure("bind")
  }

  /// Lets others connect.
  func listen() throws {
    guard CLibrary.listen(descriptor, 128) == 0 else { throw Failure("listen") }
  }

  /// Waits for a connection.
  func accept() throws -> LoopbackSocket {
    let accepted = CLibrary.accept(descriptor, nil, nil)
    guard accepted >= 0 else { throw Failure("accept") }
    _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
    return LoopbackSocket(descriptor: accepted)
  }

  /// Sends all bytes.
  func send(_ data: Data) throws {
    var rest = data
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { CLibrary.send(descriptor, $0.baseAddress, $0.count, noSignal) }
      guard count > 0 else { throw Failure("send") }
      rest.removeFirst(count)
    }
  }

  /// Waits for bytes; none if the other end has closed the connection.
  func receive() throws -> Data {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count >= 0 else { throw Failure("receive") }
    return Data(buffer[..<count])
  }

  /// Ends all calls that wait.
  func shutDown() {
    _ = shutdown(descriptor, CInt(SHUT_RDWR))
  }
}

#if canImport(Darwin)
  private let noSignal: CInt = 0
#else
  private let noSignal = CInt(MSG_NOSIGNAL)
#endif
