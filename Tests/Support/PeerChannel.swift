import CLibrary
import Dispatch
import Foundation
import Signals

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

  init(socket: CInt, process: pid_t) {
    self.socket = socket
    self.process = process
    // A separate thread that blocks. On Linux, a dispatch source sometimes misses the end, and a child that is not
    // reaped keeps Swift Testing's own exit tests from ending.
    DispatchQueue(label: "signals.tests.peer").async { [self] in
      receiveAll()
      reap()
      close(socket)
    }
  }

  func send(_ command: String, _ answer: Answer) {
    let isSent = lock.withLock {
      guard !isOver else { return false }
      waiting.append((command, answer))
      var bytes = Data((command + "\n").utf8)
      while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { systemSend(socket, $0) }
        // If the peer is gone, the reading thread notices and fails all waiting calls.
        if count <= 0 { break }
        bytes.removeFirst(count)
      }
      return true
    }
    if !isSent { answer.resume(throwing: PeerProcess.Failure.gone(command: command)) }
  }

  private func receiveAll() {
    var buffer = [UInt8](repeating: 0, count: 65536)
    var unfinished = Data()
    while true {
      let count = recv(socket, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      unfinished.append(contentsOf: buffer[..<count])
      while let end = unfinished.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: unfinished[unfinished.startIndex..<end], as: UTF8.self)
        unfinished = Data(unfinished[(end + 1)...])
        sort(line)
      }
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
  }
}

/// Sends to a socket without ending this process if the other end is closed.
private func systemSend(_ socket: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
  #if canImport(Darwin)
    send(socket, bytes.baseAddress, bytes.count, 0)
  #else
    send(socket, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
  #endif
}
