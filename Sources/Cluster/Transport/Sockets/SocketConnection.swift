import CLibrary
import Foundation
import Signals

/// A connection to a member, which one thread at a time uses and any thread can shut down.
final class SocketConnection: Sendable {
  /// The descriptor; `nil` after it was closed.
  private let descriptor: Guarded<CInt?>
  private let number: CInt

  /// Connects to a host, within a time.
  init(host: String, port: Int, within time: Duration) throws(ClusterTransportError) {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    #if canImport(Glibc)
      hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    #else
      hints.ai_socktype = SOCK_STREAM
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    let result = getaddrinfo(host, String(port), &hints, &list)
    guard result == 0, let list else {
      throw ClusterTransportError(reason: "the host \(host) cannot be found", isUnsent: true)
    }
    defer { freeaddrinfo(list) }
    var reason = "there is no address"
    var next: UnsafeMutablePointer<addrinfo>? = list
    while let address = next {
      next = address.pointee.ai_next
      do throws(Refused) {
        number = try Self.connect(address.pointee, within: time)
        descriptor = Guarded(number)
        return
      } catch {
        reason = error.reason
      }
    }
    throw ClusterTransportError(reason: "cannot connect: \(reason)", isUnsent: true)
  }

  deinit {
    close()
  }

  private struct Refused: Error {
    let reason: String
  }

  private static func connect(_ address: addrinfo, within time: Duration) throws(Refused) -> CInt {
    #if canImport(Darwin)
      let kind = address.ai_socktype
    #elseif canImport(Glibc)
      let kind = address.ai_socktype | CInt(SOCK_CLOEXEC.rawValue)
    #else
      let kind = address.ai_socktype | SOCK_CLOEXEC
    #endif
    let socket = socket(address.ai_family, kind, address.ai_protocol)
    guard socket >= 0 else { throw Refused(reason: words(errno)) }
    set(IPPROTO_TCP, TCP_NODELAY, on: socket)
    set(SOL_SOCKET, SO_KEEPALIVE, on: socket)
    #if canImport(Darwin)
      set(SOL_SOCKET, SO_NOSIGPIPE, on: socket)
      _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    #endif
    // It also limits the time of `connect`.
    set(SO_SNDTIMEO, time, on: socket)
    while CLibrary.connect(socket, address.ai_addr, address.ai_addrlen) != 0 {
      if errno == EINTR { continue }
      let error = errno
      _ = CLibrary.close(socket)
      throw Refused(reason: error == EINPROGRESS || error == EAGAIN ? "no answer within \(time)" : words(error))
    }
    return socket
  }

  private static func set(_ level: some BinaryInteger, _ option: CInt, on socket: CInt) {
    var yes: CInt = 1
    setsockopt(socket, CInt(level), option, &yes, socklen_t(MemoryLayout<CInt>.size))
  }

  private static func set(_ option: CInt, _ time: Duration, on socket: CInt) {
    var value = timeval()
    value.tv_sec = .init(clamping: time.components.seconds)
    value.tv_usec = .init(clamping: time.components.attoseconds / 1_000_000_000_000)
    setsockopt(socket, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<timeval>.size))
  }

  private static func words(_ error: CInt) -> String {
    guard let text = strerror(error) else { return "error \(error)" }
    return String(cString: text)
  }

  // MARK: Use

  /// A Boolean value that indicates whether the member has neither closed the connection nor sent anything.
  var isIdle: Bool {
    var byte: UInt8 = 0
    let count = recv(number, &byte, 1, Flags.look)
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
  }

  /// Sends all bytes.
  func send(_ data: Data) throws(ClusterTransportError) {
    var sent = 0
    var reason: String?
    data.withUnsafeBytes { bytes in
      while sent < bytes.count, let start = bytes.baseAddress {
        let count = CLibrary.send(number, start + sent, bytes.count - sent, Flags.noSignal)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          reason = Self.words(errno)
          return
        }
        sent += count
      }
    }
    if let reason { throw ClusterTransportError(reason: reason, isUnsent: sent == 0) }
  }

  /// Waits for bytes, and returns them; none if the member has closed the connection.
  func receive() throws(ClusterTransportError) -> Data {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = recv(number, &buffer, buffer.count, 0)
      if count >= 0 { return Data(buffer[..<count]) }
      if errno != EINTR { throw ClusterTransportError(reason: Self.words(errno), isUnsent: false) }
    }
  }

  /// Ends all sending and receiving, so that a thread that waits for the member continues.
  func shutDown() {
    descriptor.withLock { descriptor in
      if let descriptor { _ = shutdown(descriptor, Flags.both) }
    }
  }

  private func close() {
    descriptor.withLock { descriptor in
      if let number = descriptor.take() { _ = CLibrary.close(number) }
    }
  }
}

/// The constants that are integers of different types on different systems.
private enum Flags {
  static let look = CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)
  static let both = CInt(SHUT_RDWR)
  #if canImport(Darwin)
    static let noSignal: CInt = 0
  #else
    static let noSignal = CInt(MSG_NOSIGNAL)
  #endif
}
