import Foundation

/// Requests of other programs to a member.
extension EtcdServer {
  /// Sends JSON to a method, and returns the answer.
  @discardableResult
  public func post(_ path: String, _ fields: [String: any Sendable], token: String? = nil) async throws -> String {
    let body = try JSONSerialization.data(withJSONObject: fields)
    let authorization = token.map { "Authorization: \($0)\r\n" } ?? ""
    let head = "POST /\(path) HTTP/1.0\r\n\(authorization)Content-Length: \(body.count)\r\n\r\n"
    let port = UInt16(url.port ?? 0)
    // Not by `URLSession`, which ends the process on Linux if a member is killed in the meantime.
    return try await onThread {
      let socket = try LoopbackSocket.connect(to: port)
      try socket.send(Data(head.utf8) + body)
      var answer = Data()
      while true {
        let part = try socket.receive()
        if part.isEmpty { break }
        answer += part
      }
      guard let end = answer.firstRange(of: Data("\r\n\r\n".utf8)) else { throw Failure(description: "no answer") }
      return String(decoding: answer[end.upperBound...], as: UTF8.self)
    }
  }

  /// Stores a text for a key, as another program does.
  public func put(_ key: String, _ text: String) async throws {
    try await post(
      "v3/kv/put", ["key": Data(key.utf8).base64EncodedString(), "value": Data(text.utf8).base64EncodedString()])
  }

  /// Deletes a key, as another program does.
  public func delete(_ key: String) async throws {
    try await post("v3/kv/deleterange", ["key": Data(key.utf8).base64EncodedString()])
  }

  /// Compacts all revisions before the current one.
  public func compact() async throws {
    let answer = try await post("v3/kv/range", ["key": Data("x".utf8).base64EncodedString()])
    guard let revision = answer.firstMatch(of: /"revision":"([0-9]+)"/)?.1 else { throw Failure(description: answer) }
    try await post("v3/kv/compaction", ["revision": String(revision), "physical": true])
  }

  /// Waits until a key has a text.
  public func value(_ key: String, is text: String) async throws {
    let wanted = "\"value\":\"\(Data(text.utf8).base64EncodedString())\""
    while try await !post("v3/kv/range", ["key": Data(key.utf8).base64EncodedString()]).contains(wanted) {
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// Ends all leases, as if their owners had been away for too long.
  public func endAllLeases() async throws {
    let answer = try await post("v3/lease/leases", [:])
    for lease in answer.matches(of: /"ID":"([0-9]+)"/) {
      try await post("v3/lease/revoke", ["ID": String(lease.1)])
    }
  }

  /// Waits until the member has a leader and answers.
  public func answer() async throws {
    let end = ContinuousClock.now + .seconds(60)
    while true {
      do {
        let answer = try await post("v3/kv/range", ["key": Data("x".utf8).base64EncodedString()])
        if answer.contains("\"header\"") || answer.contains("user name is empty") { return }
      } catch {
        // Not started yet.
      }
      guard .now < end, process.exit.elements.isEmpty else {
        let log = try String(contentsOf: directory.file("log"), encoding: .utf8)
        throw Failure(description: "etcd does not answer: \(log.suffix(2000))")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}
