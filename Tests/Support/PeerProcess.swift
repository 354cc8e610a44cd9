import CLibrary
public import Foundation
import Signals

/// Another process that runs commands: the `Peer` executable, driven over one socket.
///
/// The process receives one line per command and answers each with one line. In between, it reports its observations,
/// also one line each, which are kept in ``events``. It is killed when the last reference is released, and always
/// reaped.
public final class PeerProcess: Sendable {
  /// An error of a peer.
  public enum Failure: Error, CustomStringConvertible {
    case cannotStart(executable: String, cause: String)
    case refused(command: String, answer: String)
    case gone(command: String)
    case undying(state: String, cause: String)

    /// A description of the error.
    public var description: String {
      switch self {
      case .cannotStart(let executable, let cause): "The peer \(executable) could not be started: \(cause)"
      case .refused(let command, let answer): "The peer answered \"\(command)\" with \"\(answer)\""
      case .gone(let command): "The peer ended before it answered \"\(command)\""
      case .undying(let state, let cause): "The peer was killed and does not end (\(state)): \(cause)"
      }
    }
  }

  /// The process identifier.
  public let identifier: pid_t

  private let channel: PeerChannel

  /// Starts a peer: the `Peer` executable that was built with the tests, or another program.
  public init(executable: URL = PeerProcess.builtExecutable, arguments: [String] = []) throws {
    let (ours, theirs) = try PeerSpawn.socketPair(for: executable)
    defer { close(theirs) }
    do {
      identifier = try PeerSpawn.start(executable, arguments, socket: theirs)
    } catch {
      close(ours)
      throw error
    }
    channel = PeerChannel(socket: ours, process: identifier)
  }

  deinit {
    // The identifier stays valid until the channel reaps the process, after it has read the end.
    if exit.elements.isEmpty { _ = CLibrary.kill(identifier, SIGKILL) }
  }

  /// The peer's unsolicited reports, without the word `event`.
  public var events: Recorder<String> { channel.events }

  /// The exit status of the peer from `waitpid`; one element once it has ended.
  public var exit: Recorder<CInt> { channel.exit }

  /// Sends a command and waits for its answer.
  ///
  /// - Returns: The text after the word `ok`.
  /// - Throws: ``Failure`` if the answer is an error, or if the peer ended.
  @discardableResult
  public func send(_ command: String) async throws -> String {
    let answer = try await withCheckedThrowingContinuation { channel.send(command, $0) }
    guard answer.hasPrefix("ok") else { throw Failure.refused(command: command, answer: answer) }
    return String(answer.dropFirst(3))
  }

  /// Sends a signal, such as `SIGSTOP`, to the process.
  public func signal(_ number: CInt) {
    _ = CLibrary.kill(identifier, number)
  }

  /// Kills the process and waits until it is reaped.
  public func kill() async throws {
    signal(SIGKILL)
    do {
      // A process that waits for a busy disk dies only after the wait.
      try await exit.wait(for: "the end of a killed peer", timeout: .seconds(240)) { !$0.isEmpty }
    } catch let error as RecorderTimeout {
      throw Failure.undying(state: state, cause: "\(error)")
    }
  }

  /// The state of the process on Linux: `D` is one that waits for a disk, `Z` one that is not reaped.
  private var state: String {
    do {
      let text = try String(contentsOf: URL(filePath: "/proc/\(identifier)/status"), encoding: .utf8)
      return text.split(separator: "\n").first { $0.hasPrefix("State:") }.map(String.init) ?? "unknown"
    } catch {
      return "unknown"
    }
  }

  /// The `Peer` executable that was built with the tests.
  public static var builtExecutable: URL {
    let arguments = CommandLine.arguments
    var folders = [URL(filePath: arguments[0]).deletingLastPathComponent()]
    if let index = arguments.firstIndex(of: "--test-bundle-path"), index + 1 < arguments.count {
      folders.append(URL(filePath: arguments[index + 1]).deletingLastPathComponent())
    }
    // Inside a bundle on Apple platforms, the products are some levels up.
    for folder in folders {
      var folder = folder
      for _ in 0..<5 {
        let candidate = folder.appending(path: "Peer")
        if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
        folder.deleteLastPathComponent()
      }
    }
    return folders[0].appending(path: "Peer")
  }
}
