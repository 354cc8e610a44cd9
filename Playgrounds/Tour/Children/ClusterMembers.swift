import Cluster
import Foundation
import SignalsKit

/// Three servers of etcd on the loopback interface, which form a cluster.
final class ClusterMembers: Sendable {
  /// The program; `nil` if it is not installed.
  static let program = ["/usr/bin/etcd", "/usr/local/bin/etcd", "/opt/homebrew/bin/etcd"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// The URLs for clients.
  let endpoints: [URL]

  private let processes: [Process]

  /// Starts the servers, with their data in a directory.
  init(_ program: String, in directory: URL) throws {
    let first = try Self.freePorts(8)
    let names = ["one", "two", "three"]
    let peers = names.indices.map { "http://127.0.0.1:\(first + 5 + $0)" }
    let addresses = names.indices.map { "http://127.0.0.1:\(first + $0)" }
    endpoints = addresses.compactMap { URL(string: $0) }
    processes = try names.indices.map { index in
      let process = Process()
      process.executableURL = URL(filePath: program)
      process.arguments = [
        "--name", names[index], "--data-dir", directory.appending(path: "etcd-\(names[index])").path,
        "--listen-client-urls", addresses[index], "--advertise-client-urls", addresses[index],
        "--listen-peer-urls", peers[index], "--initial-advertise-peer-urls", peers[index],
        "--initial-cluster", zip(names, peers).map { "\($0)=\($1)" }.joined(separator: ","),
        "--experimental-watch-progress-notify-interval=1s",
      ]
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      return process
    }
  }

  deinit {
    for process in processes where process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }

  /// Returns the first of several successive ports that nothing uses.
  ///
  /// They are not among those that systems choose for outgoing connections.
  private static func freePorts(_ count: Int) throws -> Int {
    for _ in 0..<1000 {
      let first = Int.random(in: 11_000..<31_900)
      if (first..<first + count).allSatisfy(isFree) { return first }
    }
    throw POSIXError(.EADDRINUSE)
  }

  private static func isFree(_ port: Int) -> Bool {
    #if canImport(Darwin)
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    #endif
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  /// Kills the server that leads the others.
  ///
  /// - Returns: Its URL.
  func killLeader() async throws -> URL {
    struct Status: Decodable {
      struct Header: Decodable { var member_id: String }
      var header: Header
      var leader: String?
    }
    let transport = SocketTransport()
    while true {
      for (endpoint, process) in zip(endpoints, processes) {
        let request = ClusterRequest(
          url: endpoint.appending(path: "v3/maintenance/status"), headers: [:], body: Data("{}".utf8),
          timeout: .seconds(5))
        let status = try JSONDecoder().decode(Status.self, from: try await transport.call(request).body)
        guard status.leader == status.header.member_id else { continue }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return endpoint
      }
      try Task.checkCancellation()
    }
  }
}
