import Foundation
import Testing

@testable import Cluster

@Suite("Responses of HTTP/1.1")
struct ResponseParserTests {
  /// Parses a text in pieces of a size, and returns the status and the body.
  private func parsed(_ text: String, by size: Int) throws -> (parser: ResponseParser, body: String) {
    var parser = ResponseParser()
    var body = Data()
    var rest = Data(text.utf8)
    while !rest.isEmpty {
      body.append(try parser.append(Data(rest.prefix(size))))
      rest = Data(rest.dropFirst(size))
    }
    return (parser, String(decoding: body, as: UTF8.self))
  }

  private let responses = [
    ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", true),
    ("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", 200, "", true),
    (
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nA;x=y\r\n, world!!!\r\n0\r\n\r\n", 200,
      "hello, world!!!", true
    ),
    ("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno", 404, "no", false),
    ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", 200, "x", true),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nTrailer: x\r\n\r\n", 200, "", true),
    ("HTTP/1.1 204 No Content\r\n\r\n", 204, "", true),
    ("HTTP/1.1 200 \u{301}\r\nX:\u{301}y\r\nContent-Length: 2\r\n\r\nhi", 200, "hi", true),
  ]

  @Test func `responses are parsed in any partition of their bytes`() throws {
    for (text, status, body, keeps) in responses {
      for size in 1...text.utf8.count {
        let result = try parsed(text, by: size)
        #expect(result.parser.isDone)
        #expect(result.parser.status == status)
        #expect(result.body == body)
        #expect(result.parser.keepsConnection == keeps)
      }
    }
  }

  @Test func `a body without a length ends with the connection`() throws {
    var (parser, body) = try parsed("HTTP/1.1 200 OK\r\n\r\nhello", by: 3)
    #expect(body == "hello")
    #expect(!parser.isDone)
    let isComplete = parser.end()
    #expect(isComplete)
    #expect(!parser.keepsConnection)
  }

  @Test func `a connection that ends early leaves an incomplete response`() throws {
    for (text, _, _, _) in responses {
      var (parser, _) = try parsed(String(text.dropLast()), by: 7)
      let isComplete = parser.end()
      #expect(!isComplete)
    }
  }

  @Test func `a chunk is passed on as soon as it arrives`() throws {
    var parser = ResponseParser()
    _ = try parser.append(Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
    for (bytes, part) in [("3\r\none\r\n", "one"), ("3\r\nt", "t"), ("wo\r\n", "wo")] {
      let body = try parser.append(Data(bytes.utf8))
      #expect(body == Data(part.utf8))
    }
  }

  @Test func `other bytes are refused`() {
    let long = "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 100_000)
    for text in [
      "SSH-2.0-OpenSSH\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", long,
    ] {
      #expect(throws: ResponseParser.Malformed.self) { try parsed(text, by: 1000) }
    }
  }
}
