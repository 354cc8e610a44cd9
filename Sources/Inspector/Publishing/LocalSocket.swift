import CLibrary
import Dispatch
import FileSignals
import Foundation
import Signals

/// Unix sockets in a directory that only the user may enter.
enum LocalSocket {
  /// An error of the system.
  struct Failure: Error, CustomStringConvertible {
    let description: String

    /// A Boolean value that indicates whether no process listens, because it has ended.
    let isGone: Bool

    init(_ operation: String) {
      isGone = errno == ECONNREFUSED || errno == ENOENT
      description = "could not \(operation): \(errorWords(errno))"
    }

    init(because reason: String) { (description, isGone) = (reason, false) }
  }

  /// Creates a socket that listens under a name in a directory.
  static func listen(_ name: String, in directory: String) throws(Failure) -> Descriptor {
    let socket = try make()
    try withAddress(name, in: directory) { address, length throws(Failure) in
      guard bind(socket.number, address, length) == 0 else { throw Failure("bind a socket") }
    }
    guard CLibrary.listen(socket.number, 8) == 0 else { throw Failure("listen") }
    return socket
  }

  /// Connects to the socket that a process of the same user has in a directory, without waiting.
  static func connect(_ name: String, in directory: String) throws(Failure) -> Descriptor {
    let socket = try make()
    try withAddress(name, in: directory) { address, length throws(Failure) in
      guard uninterrupted({ CLibrary.connect(socket.number, address, length) }) == 0 else { throw Failure("connect") }
    }
    guard peerUser(socket.number) == geteuid() else { throw Failure(because: "the process belongs to another user") }
    return socket
  }

  /// Returns a Boolean value that indicates whether no process has a socket any more.
  ///
  /// A process identifier would not show that, because the process may be in another container. The system refuses a
  /// socket of another kind in another way than it does if there is none, also before the socket listens, and does not
  /// tell the process about it.
  static func isAbandoned(_ name: String, in directory: String) -> Bool {
    do throws(Failure) {
      let socket = try make(datagrams: true)
      var isRefused = false
      try withAddress(name, in: directory) { address, length in
        isRefused = uninterrupted { CLibrary.connect(socket.number, address, length) } != 0 && errno == ECONNREFUSED
      }
      return isRefused
    } catch {
      return false
    }
  }

  /// Accepts a connection of a process of the same user, without waiting; `nil` if there is none.
  static func accept(_ listener: CInt) -> Descriptor? {
    guard let socket = Descriptor(uninterrupted { CLibrary.accept(listener, nil, nil) }) else { return nil }
    prepare(socket.number)
    guard peerUser(socket.number) == geteuid() else { return nil }
    return socket
  }

  private static func make(datagrams: Bool = false) throws(Failure) -> Descriptor {
    #if canImport(Glibc)
      let kind = CInt((datagrams ? SOCK_DGRAM : SOCK_STREAM).rawValue)
    #else
      let kind = datagrams ? SOCK_DGRAM : SOCK_STREAM
    #endif
    guard let made = Descriptor(socket(AF_UNIX, kind, 0)) else { throw Failure("create a socket") }
    prepare(made.number)
    return made
  }

  /// Makes a socket close on `exec`, never wait, and raise no signal.
  private static func prepare(_ number: CInt) {
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    _ = fcntl(number, F_SETFL, O_NONBLOCK)
    #if canImport(Darwin)
      var yes: CInt = 1
      setsockopt(number, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<CInt>.size))
    #endif
  }

  private static func peerUser(_ number: CInt) -> uid_t? {
    #if canImport(Darwin)
      var (user, group) = (uid_t(), gid_t())
      return getpeereid(number, &user, &group) == 0 ? user : nil
    #else
      // The fields are the process, the user and the group.
      var credentials: (pid_t, uid_t, gid_t) = (0, 0, 0)
      var size = socklen_t(MemoryLayout.size(ofValue: credentials))
      return getsockopt(number, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 ? credentials.1 : nil
    #endif
  }

  /// Calls a closure with the address of a name.
  ///
  /// A path in an address has about 100 bytes at most, so on Linux the directory is named by a descriptor.
  private static func withAddress(
    _ name: String, in directory: String,
    _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Failure) -> Void
  ) throws(Failure) {
    #if os(Linux) || os(Android)
      guard let folder = Descriptor(open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)) else {
        throw Failure("open \(directory)")
      }
      let path = "/proc/self/fd/\(folder.number)/\(name)"
    #else
      let path = "\(directory)/\(name)"
    #endif
    var address = sockaddr_un()
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw Failure(because: "the path \(path) is too long for a socket")
    }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    var failure: Failure?
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        do throws(Failure) {
          try body(address, socklen_t(MemoryLayout<sockaddr_un>.size))
        } catch {
          failure = error
        }
      }
    }
    if let failure { throw failure }
  }

  // MARK: Bytes

  private static func wait(for number: CInt, _ events: CInt, until deadline: ContinuousClock.Instant) -> Bool {
    let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
    guard left > 0 else { return false }
    var request = pollfd(fd: number, events: Int16(events), revents: 0)
    return uninterrupted { poll(&request, 1, CInt(left.rounded(.up))) } > 0
  }

  /// Sends bytes within a time limit, and returns whether all of them were sent.
  static func send(_ bytes: [UInt8], to socket: CInt, within limit: Duration) -> Bool {
    let deadline = ContinuousClock.now + limit
    #if canImport(Darwin)
      let flags: CInt = 0
    #else
      let flags = CInt(MSG_NOSIGNAL)
    #endif
    return bytes.withUnsafeBytes { buffer in
      var sent = 0
      while sent < buffer.count, let start = buffer.baseAddress {
        let count = uninterrupted { CLibrary.send(socket, start + sent, buffer.count - sent, flags) }
        if count > 0 {
          sent += count
        } else if errno != EAGAIN || !wait(for: socket, CInt(POLLOUT), until: deadline) {
          return false
        }
      }
      return true
    }
  }

  /// Receives all bytes up to the end, or up to a line break, within limits; `nil` if that fails.
  ///
  /// Bytes after the line break are dropped.
  static func receive(from socket: CInt, within limit: Duration, maximum: Int, isLine: Bool = false) -> Data? {
    let deadline = ContinuousClock.now + limit
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = buffer.withUnsafeMutableBytes { readSome($0, from: socket) }
      if count > 0 {
        let end = isLine ? buffer[..<count].firstIndex(of: UInt8(ascii: "\n")) : nil
        data.append(contentsOf: buffer[..<(end ?? count)])
        if data.count > maximum { return nil }
        if end != nil { return data }
      } else if count == 0 {
        return isLine ? nil : data
      } else if errno != EAGAIN || !wait(for: socket, CInt(POLLIN), until: deadline) {
        return nil
      }
    }
  }

  /// Returns a Boolean value that indicates whether the process at the other end has closed its socket.
  static func isClosed(_ socket: CInt) -> Bool {
    var request = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    guard uninterrupted({ poll(&request, 1, 0) }) > 0 else { return false }
    if CInt(request.revents) & CInt(POLLHUP | POLLERR) != 0 { return true }
    var byte: UInt8 = 0
    return uninterrupted { recv(socket, &byte, 1, CInt(MSG_PEEK)) } == 0
  }
}

/// A socket of this process in a directory of a group, for other processes of the user.
final class LocalListener: Sendable {
  /// The directories of sockets, relative to the directory of a group; they are never switched with environments.
  static let graphs = ".shared/signals"
  static let edits = ".shared/edits"

  private let path: String
  private let source: FileDescriptorSource
  private let subscription = Guarded<SignalSubscription?>(nil)

  /// Returns a name for the sockets of this process; several publications of one process have different names.
  static func newName() -> String { "\(getpid())-\(String(UInt32.random(in: .min ... .max), radix: 36))" }

  /// Returns the identifier of the process to which the name of a socket belongs.
  static func process(of name: String) -> pid_t? { name.split(separator: "-").first.flatMap { pid_t($0) } }

  /// Creates a socket, and calls a closure on a queue for each connection, whose descriptor the closure must close.
  ///
  /// The sockets of processes that ended without removing them are removed.
  init(
    _ name: String, folder: String, of group: URL, on queue: DispatchQueue,
    _ connected: @escaping @Sendable (CInt) -> Void
  ) throws(InspectorError) {
    let directory = group.path + "/" + folder
    path = "\(directory)/\(name)"
    for path in [group.path + "/.shared", directory] where !makeDirectory(path) && errno != EEXIST {
      throw .failed(operation: "Publish signals", path: path, reason: errorWords(errno))
    }
    for entry in DirectoryEntry.list(directory) {
      if Self.process(of: entry.name) != nil, LocalSocket.isAbandoned(entry.name, in: directory) {
        unlink("\(directory)/\(entry.name)")
      }
    }
    let listener: CInt
    do {
      let socket = try LocalSocket.listen(name, in: directory)
      source = try FileDescriptorSource(fileDescriptor: socket.number, closesDescriptor: true, queue: queue)
      listener = socket.release()
    } catch {
      unlink(path)
      throw .failed(operation: "Publish signals", path: folder, reason: "\(error)")
    }
    let accepting = source.sink { _ in
      while let socket = LocalSocket.accept(listener) { connected(socket.release()) }
    }
    subscription.withLock { $0 = accepting }
  }

  func end() {
    source.cancel()
    unlink(path)
    subscription.replace { $0.take() }
  }
}
