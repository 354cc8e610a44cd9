public import Foundation

extension PeerProcess {
  private static let tracer = URL(filePath: "/usr/bin/strace")

  /// A Boolean value that indicates whether the system has a program that traces system calls.
  public static let canBeTraced = FileManager.default.isExecutableFile(atPath: tracer.path)

  /// Starts a peer whose system calls a tracer records or lets fail.
  ///
  /// - Parameter options: The options of `strace`.
  /// - Returns: The peer, which must be ended with ``endTraced()``; `nil` if the system does not permit tracing.
  /// - Throws: An error if the tracer cannot be started.
  public static func traced(_ options: [String]) async throws -> PeerProcess? {
    let peer = try PeerProcess(executable: tracer, arguments: ["-f"] + options + [PeerProcess.builtExecutable.path])
    do {
      try await peer.send("ping")
      return peer
    } catch {
      return nil
    }
  }

  /// Starts a peer in which system calls for a path fail.
  ///
  /// - Parameters:
  ///   - calls: The names of the calls, separated by commas.
  ///   - path: The path as the peer passes it to the system.
  ///   - error: The name of the error.
  ///   - log: A file for the output of the tracer.
  /// - Returns: The peer, which must be ended with ``endTraced()``; `nil` if the system does not permit tracing.
  /// - Throws: An error if the tracer cannot be started.
  public static func failing(
    _ calls: String, on path: String, with error: String, log: URL
  ) async throws -> PeerProcess? {
    try await traced(
      ["-o", log.path, "-P", path, "-e", "trace=\(calls)", "-e", "inject=\(calls):error=\(error)"])
  }

  /// Ends a traced peer, which would outlive a killed tracer.
  public func endTraced() async throws {
    do {
      try await send("exit 0")
    } catch Failure.gone {
      // It does not answer any more.
    }
    try await exit.wait(for: "the tracer's end") { !$0.isEmpty }
  }
}
