import FlyingSocks

/// The body of a response that streams events to one client.
struct EventBody: AsyncBufferedSequence {
  typealias Element = UInt8

  let hub: EventHub
  let client: Int

  func makeAsyncIterator() -> Iterator { Iterator(stream: Stream(hub: hub, client: client)) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    let stream: Stream

    mutating func next() async throws -> UInt8? {
      // The encoder of chunks reads whole buffers.
      try await nextBuffer(suggested: 1)?.first
    }

    mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
      await stream.hub.next(stream.client)
    }
  }

  /// Closes the client when the server releases the response.
  final class Stream: Sendable {
    let hub: EventHub
    let client: Int

    init(hub: EventHub, client: Int) {
      (self.hub, self.client) = (hub, client)
    }

    deinit {
      let (hub, client) = (hub, client)
      Task { await hub.close(client) }
    }
  }
}
