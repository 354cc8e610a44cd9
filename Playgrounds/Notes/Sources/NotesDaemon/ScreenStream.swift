import FlyingSocks
import Foundation
import NotesKit
import SignalsKit

/// The body of a response that never ends: one server-sent event for each frame.
///
/// The loop of the server drives it. While a slow browser reads, frames are replaced and not queued, so it costs no
/// memory and always receives the last state.
struct ScreenStream: AsyncBufferedSequence {
  typealias Element = UInt8

  private let frames: SignalValues<AnySignal<Screen, Never>>

  init(_ frames: AnySignal<Screen, Never>) {
    self.frames = frames.values(buffering: .newest(1))
  }

  func makeAsyncIterator() -> Iterator { Iterator(frames: frames.makeAsyncIterator()) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    var frames: SignalValues<AnySignal<Screen, Never>>.Iterator

    mutating func next() async throws -> UInt8? { try await nextBuffer(suggested: 1)?.first }

    mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
      guard let screen = await frames.next() else { return nil }
      let encoder = JSONEncoder()
      encoder.dateEncodingStrategy = .iso8601
      return Array("data: ".utf8) + (try encoder.encode(screen)) + Array("\n\n".utf8)
    }
  }
}
