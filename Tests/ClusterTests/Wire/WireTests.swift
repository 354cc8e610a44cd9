import Foundation
import Testing

@testable import Cluster

@Suite("The messages of etcd")
struct WireTests {
  private func decoded<Message: Decodable>(_ type: Message.Type, _ json: String) throws -> Message {
    try JSONDecoder().decode(type, from: Data(json.utf8))
  }

  private func encoded(_ message: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(message), as: UTF8.self)
  }

  @Test func `integers of 64 bits are strings, and omitted fields are zero`() throws {
    let response = try decoded(
      RangeResponse.self,
      """
      {"header":{"cluster_id":"14841639068965178418","member_id":"10276657743932975437","revision":"9007199254740993"},\
      "kvs":[{"key":"YQ==","create_revision":"2","mod_revision":"9007199254740993","version":"1"}],"count":"1"}
      """)
    #expect(response.header.clusterID == 14_841_639_068_965_178_418)
    #expect(response.header.revision == 9_007_199_254_740_993)
    #expect(response.entries.first?.modRevision == 9_007_199_254_740_993)
    #expect(response.entries.first?.value.isEmpty == true)
    #expect(!response.hasMore)
  }

  @Test func `integers may also be numbers`() throws {
    #expect(try decoded(EtcdHeader.self, #"{"revision":12}"#).revision == 12)
    #expect(throws: DecodingError.self) { try decoded(EtcdHeader.self, #"{"revision":"many"}"#) }
  }

  @Test func `revisions outside a sane range are refused`() throws {
    let largest = Int64.max / 2
    #expect(try decoded(EtcdHeader.self, #"{"revision":"\#(largest)"}"#).revision == largest)
    for revision in [Int64.min, -1, largest + 1, .max] {
      #expect(throws: DecodingError.self) { try decoded(EtcdHeader.self, #"{"revision":"\#(revision)"}"#) }
      #expect(throws: DecodingError.self) { try decoded(EtcdEntry.self, #"{"mod_revision":"\#(revision)"}"#) }
      #expect(throws: DecodingError.self) { try decoded(EtcdEntry.self, #"{"create_revision":\#(revision)}"#) }
      #expect(throws: DecodingError.self) { try decoded(WatchMessage.self, #"{"compact_revision":"\#(revision)"}"#) }
    }
  }

  @Test func `a compare-and-swap has the form that the gateway expects`() throws {
    let request = TransactionRequest(
      compare: [Comparison(key: Data("a".utf8), modRevision: 0)],
      success: [.put(Data("a".utf8), value: Data("1".utf8), lease: 7)],
      failure: [.range(RangeRequest(key: Data("a".utf8)))])
    #expect(
      try encoded(request)
        == """
        {"compare":[{"key":"YQ==","mod_revision":"0","result":"EQUAL","target":"MOD"}],\
        "failure":[{"request_range":{"key":"YQ=="}}],\
        "success":[{"request_put":{"key":"YQ==","lease":"7","value":"MQ=="}}]}
        """)
  }

  @Test func `a transaction that failed has no field that says so`() throws {
    let response = try decoded(
      TransactionResponse.self,
      #"{"header":{"revision":"3"},"responses":[{"response_range":{"kvs":[{"key":"YQ==","mod_revision":"2"}]}},{"response_put":{}}]}"#
    )
    #expect(!response.succeeded)
    #expect(response.results.map(\.count) == [1, 0])
  }

  @Test func `a watch has lines for its beginning, events, progress and end`() throws {
    let lines = [
      #"{"result":{"header":{"revision":"5"},"created":true}}"#,
      #"{"result":{"header":{"revision":"6"},"events":[{"type":"DELETE","kv":{"key":"YQ==","mod_revision":"6"}},{"kv":{"key":"Yg==","mod_revision":"6","value":"MQ=="}}]}}"#,
      #"{"result":{"header":{"revision":"6"},"canceled":true,"compact_revision":"300"}}"#,
      #"{"error":{"grpc_code":14,"http_code":503,"message":"etcdserver: no leader"}}"#,
    ]
    let messages = try lines.map { try decoded(StreamLine<WatchMessage>.self, $0) }
    #expect(messages[0].result?.isCreated == true)
    #expect(messages[1].result?.events.map(\.isDeletion) == [true, false])
    #expect(messages[2].result?.compactRevision == 300)
    #expect(messages[3].error == EtcdFailure(code: 14, message: "etcdserver: no leader"))
  }

  @Test func `an expired lease is renewed without a time to live`() throws {
    let line = try decoded(StreamLine<LeaseResponse>.self, #"{"result":{"header":{},"ID":"12"}}"#)
    #expect(line.result?.id == 12)
    #expect(line.result?.seconds == 0)
  }

  @Test func `lines are found in any partition of the bytes`() throws {
    let text = Data("one\ntwo\n\nthree\n".utf8)
    for size in 1...text.count {
      var splitter = LineSplitter(limit: 5)
      var lines: [String] = []
      var rest = text[...]
      while !rest.isEmpty {
        lines += try splitter.append(Data(rest.prefix(size))).map { String(decoding: $0, as: UTF8.self) }
        rest = rest.dropFirst(size)
      }
      #expect(lines == ["one", "two", "three"])
    }
  }

  @Test func `a line over the limit is an error, even before it ends`() {
    #expect(throws: LineSplitter.TooLong.self) {
      var splitter = LineSplitter(limit: 5)
      _ = try splitter.append(Data("123".utf8))
      _ = try splitter.append(Data("456".utf8))
    }
    #expect(throws: LineSplitter.TooLong.self) {
      var splitter = LineSplitter(limit: 5)
      _ = try splitter.append(Data("123456\n".utf8))
    }
  }

  @Test func `names are encoded without collisions, and decoded exactly`() {
    let names = ["", "a", "A", "a/b", "%", "a%2fb", "ä", "a\u{308}", "~", "!", "\0", "a b", "..", "\u{10FFFF}"]
    let parts = names.map(KeyName.encoded)
    #expect(Set(parts).count == names.count)
    for (name, part) in zip(names, parts) {
      #expect(part.utf8.allSatisfy { $0 > 32 && $0 < 127 && !"/~!".utf8.contains($0) })
      #expect(KeyName.decoded(part.utf8).map { Array($0.utf8) } == Array(name.utf8))
    }
    for part in ["", "%2", "%2F", "%61", "a/b", "%ff", "~a"] { #expect(KeyName.decoded(part.utf8) == nil) }
  }
}
