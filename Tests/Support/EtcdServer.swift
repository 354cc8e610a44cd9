import CLibrary
public import Foundation
public import Testing

extension Trait where Self == ConditionTrait {
  /// A condition for tests that need servers of etcd.
  public static var withEtcd: Self {
    .enabled(
      if: EtcdServer.executable != nil, "etcd is not installed (Debian: etcd-server), so no cluster can be tested")
  }
}

/// A member of a cluster of etcd, as a process on the loopback interface.
///
/// It is killed when the last reference is released.
public final class EtcdServer: Sendable {
  /// An error of a server.
  public struct Failure: Error, CustomStringConvertible {
    /// A description of the error.
    public let description: String
  }

  /// The program; `nil` if it is not installed.
  public static let executable: URL? = ["/usr/bin/etcd", "/usr/local/bin/etcd", "/opt/homebrew/bin/etcd"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }.map { URL(filePath: $0) }

  /// The URL for clients.
  public let url: URL

  /// The name of the member.
  public let name: String

  /// The network through which the other members reach this one; `nil` if they reach it directly.
  public let network: MemberNetwork?

  let process: PeerProcess
  let directory: TemporaryDirectory
  private let arguments: [String]

  private init(
    name: String, url: URL, directory: TemporaryDirectory, arguments: [String], network: MemberNetwork?
  ) throws {
    guard let executable = Self.executable else { throw Failure(description: "etcd is not installed") }
    (self.name, self.url, self.directory, self.arguments) = (name, url, directory, arguments)
    self.network = network
    let log = directory.file("log").path(percentEncoded: false)
    // The second shell reads until this process ends, however that happens, and then ends the member.
    let script = """
      log=$1; shift; exec 3<&0; "$@" >> "$log" 2>&1 < /dev/null 3<&- & pid=$!; echo "event $pid"
      { while read -r line; do :; done; kill -KILL $pid; } <&3 > /dev/null & reader=$!
      wait $pid; kill -KILL $reader
      """
    process = try PeerProcess(
      executable: URL(filePath: "/bin/sh"), arguments: ["-c", script, "sh", log, executable.path] + arguments)
  }

  /// Starts a cluster of new members, and waits until they answer.
  ///
  /// - Parameters:
  ///   - count: The number of members.
  ///   - options: More options for each.
  ///   - isDivisible: A Boolean value that determines whether the network between the members can be cut.
  /// - Returns: The members.
  /// - Throws: An error if they do not answer.
  public static func start(
    _ count: Int = 1, options: [String] = [], isDivisible: Bool = false
  ) async throws -> [EtcdServer] {
    while true {
      do {
        return try await startOnce(count, options: options, isDivisible: isDivisible)
      } catch let failure as Failure where failure.description.contains("address already in use") {
        // Another process took a port between its choice and the start of the member, which then ended at once.
      }
    }
  }

  private static func startOnce(_ count: Int, options: [String], isDivisible: Bool) async throws -> [EtcdServer] {
    let ports = try freePorts(count * 2)
    let networks = try (0..<count).map { isDivisible ? try MemberNetwork(to: ports[count + $0]) : nil }
    let peers = (0..<count).map { "http://127.0.0.1:\(networks[$0]?.port ?? ports[count + $0])" }
    let cluster = (0..<count).map { "m\($0)=\(peers[$0])" }.joined(separator: ",")
    let servers = try (0..<count).map { index in
      let url = "http://127.0.0.1:\(ports[index])"
      let directory = try TemporaryDirectory()
      return try EtcdServer(
        name: "m\(index)", url: URL(string: url) ?? directory.url, directory: directory,
        arguments: [
          "--name", "m\(index)", "--data-dir", directory.file("data").path(percentEncoded: false),
          "--listen-client-urls", url, "--advertise-client-urls", url,
          "--listen-peer-urls", "http://127.0.0.1:\(ports[count + index])",
          "--initial-advertise-peer-urls", peers[index], "--initial-cluster", cluster, "--initial-cluster-token",
          "signals-\(ports[0])", "--experimental-watch-progress-notify-interval=1s", "--logger", "zap",
        ] + options, network: networks[index])
    }
    for server in servers { try await server.answer() }
    return servers
  }

  /// Starts one member, and waits until it answers.
  public static func single(options: [String] = []) async throws -> EtcdServer {
    try await start(1, options: options)[0]
  }

  /// Starts the member again with its data, after it was killed.
  public func restarted() async throws -> EtcdServer {
    let server = try EtcdServer(name: name, url: url, directory: directory, arguments: arguments, network: network)
    try await server.answer()
    return server
  }

  /// Starts a member at the same address without data, after this one was killed.
  public func replaced() async throws -> EtcdServer {
    try? FileManager.default.removeItem(at: directory.file("data"))
    return try await restarted()
  }

  /// Sends a signal, such as `SIGSTOP`, to a member that has answered.
  public func signal(_ number: CInt) {
    guard let identifier = process.events.elements.first.flatMap(CInt.init) else { return }
    _ = CLibrary.kill(identifier, number)
  }

  /// Kills the member, and waits until its address is free.
  public func kill() async throws {
    signal(SIGKILL)
    try await process.exit.wait(for: "the end of a member") { !$0.isEmpty }
  }

  deinit {
    signal(SIGKILL)
    // Released only after the shell has ended by itself, because its reader must end, too.
    Task { [process] in try? await process.exit.wait(for: "the end of a member") { !$0.isEmpty } }
  }

  /// Ports of the loopback interface that nothing uses.
  private static func freePorts(_ count: Int) throws -> [UInt16] {
    // All are open at the same time, so that they differ.
    let sockets = try (0..<count).map { _ in try LoopbackSocket.bound() }
    return sockets.map(\.port)
  }
}
