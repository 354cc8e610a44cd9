import Dispatch
import Foundation
import Signals

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The socket to a peer: sends commands, sorts the lines that come back, and reaps the process when they end.
final class PeerChannel: Sendable {
  typealias Answer = CheckedContinuation<String, any Error>

  let events = Recorder<String>()
  let exit = Recorder<CInt>()

  private let socket: CInt
  private let process: pid_t
  private let lock = Lock()
  private nonisolated(unsafe) var waiting: [(command: String, answer: Answer)] = []  // Sound: guarded by the lock.
  private nonisolated(unsafe) var isOver = false  // Sound: guarded by the lock.
  private nonisolated(unsafe) var unfinished = Data()  // Sound: used on the source's queue only.
  private nonisolated(unsafe) let source: any DispatchSourceRead  // Sound: sources may be used from any thread.

  init(socket: CInt, process: pid_t) {
    self.socket = socket
    self.process = process
    source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: DispatchQueue(label: "signals.tests.peer"))
    // The source holds the channel until the peer's end, so that every peer is reaped.
    source.setEventHandler { [self] in receive() }
    source.setCancelHandler { [self] in
      close(socket)
      reap()
    }
    source.activate()
  }

  func send(_ command: String, _ answer: Answer) {
    let isSent = lock.withLock {
      guard !isOver else { return false }
      waiting.append((command, answer))
      var bytes = Data((command + "\n").utf8)
      while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { systemSend(socket, $0) }
        // A peer that is gone is noticed by the reading side, which fails all that wait.
        if count <= 0 { break }
        bytes.removeFirst(count)
      }
      return true
    }
    if !isSent { answer.resume(throwing: PeerProcess.Failure.gone(command: command)) }
  }

  private func receive() {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = recv(socket, &buffer, buffer.count, 0)
    guard count > 0 else { return source.cancel() }
    unfinished.append(contentsOf: buffer[..<count])
    while let end = unfinished.firstIndex(of: UInt8(ascii: "\n")) {
      let line = String(decoding: unfinished[unfinished.startIndex..<end], as: UTF8.self)
      unfinished = Data(unfinished[(end + 1)...])
      sort(line)
    }
  }

  private func sort(_ line: String) {
    if line.hasPrefix("event ") { return events.record(String(line.dropFirst(6))) }
    let answer = lock.withLock { waiting.isEmpty ? nil : waiting.removeFirst().answer }
    answer?.resume(returning: line)
  }

  private func reap() {
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let abandoned = lock.withLock {
      isOver = true
      defer { waiting = [] }
      return waiting
    }
    exit.record(status)
    for (command, answer) in abandoned { answer.resume(throwing: PeerProcess.Failure.gone(command: command)) }
    // Breaks the cycle between the source and the channel.
    source.setEventHandler(handler: nil)
    source.setCancelHandler(handler: nil)
  }
}

/// Sends to a socket whose other end may be gone, which must not end this process.
private func systemSend(_ socket: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
  #if canImport(Darwin)
    send(socket, bytes.baseAddress, bytes.count, 0)
  #else
    send(socket, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
  #endif
}
