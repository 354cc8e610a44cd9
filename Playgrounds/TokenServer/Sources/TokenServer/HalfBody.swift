import FlyingFox
import FlyingSocks
import Foundation

/// Half of a body, and then the end of the connection.
struct HalfBody: AsyncBufferedSequence {
  typealias Element = UInt8

  let whole: Data

  func makeAsyncIterator() -> Iterator { Iterator(rest: whole.prefix(whole.count / 2)) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    var rest: Data

    mutating func next() async throws -> UInt8? {
      try await nextBuffer(suggested: 1)?.first
    }

    mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
      guard !rest.isEmpty else { throw SocketError.disconnected }
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
  }
}
