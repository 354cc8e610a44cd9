@testable import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Log: cursors")
struct LogCursorTests {
  private let producer = UUID()

  private func position(_ sequence: UInt64) -> LogPosition {
    LogPosition(segment: 1, offset: sequence * 100, sequence: sequence)
  }

  @Test
  func `a delivered event that is not handled holds the cursor, even if later ones are skipped`() {
    var cursor = LogCursor()
    cursor.give(position(1), of: producer)
    cursor.pass(position(2), of: producer)
    #expect(cursor.positions[producer] == .beginning && !cursor.isChanged)
    cursor.handle(position(1), of: producer)
    // The skipped position is included.
    #expect(cursor.positions[producer] == position(2) && cursor.isChanged)
    cursor.pass(position(3), of: producer)
    #expect(cursor.positions[producer] == position(3))
  }

  @Test
  func `handling an event handles the earlier ones of its producer, and none after it`() {
    var cursor = LogCursor()
    for sequence in 1...5 { cursor.give(position(UInt64(sequence)), of: producer) }
    cursor.handle(position(3), of: producer)
    #expect(cursor.positions[producer] == position(3))
    cursor.handle(position(2), of: producer)
    #expect(cursor.positions[producer] == position(3))
    let other = UUID()
    cursor.give(position(1), of: other)
    #expect(cursor.positions[other] == .beginning)
    cursor.handle(position(9), of: UUID())
    #expect(cursor.positions.count == 2)
  }

  @Test
  func `an event handled before it is reread stays handled, and rereading never moves the cursor back`() {
    var cursor = LogCursor([producer: position(1)])
    cursor.handle(position(5), of: producer)
    #expect(cursor.positions[producer] == position(5) && cursor.isChanged)
    cursor.give(position(2), of: producer)
    cursor.handle(position(6), of: producer)
    #expect(cursor.positions[producer] == position(6))
    for sequence in 3...7 {
      cursor.pass(position(UInt64(sequence)), of: producer)
      #expect(cursor.positions[producer] == position(UInt64(max(6, sequence))))
    }
    #expect(cursor.hasHandled(7, of: producer) && !cursor.hasHandled(8, of: producer))
  }

  @Test
  func `a producer without segments is forgotten once all its events are handled`() {
    var cursor = LogCursor([producer: position(4)])
    cursor.give(position(5), of: producer)
    cursor.keep(only: [])
    #expect(cursor.positions[producer] == position(4))
    cursor.handle(position(5), of: producer)
    cursor.keep(only: [])
    #expect(cursor.positions.isEmpty)
  }

  @Test
  func `an event that is handled while reading begins again stays handled`() {
    let audience = LogAudience(.explicit, isKeepingEvents: true)
    let beginning = audience.begin(from: [producer: .beginning], isSaved: true, at: 0)
    let (copy, producer, count) = (self, producer, UInt64(20_000))
    let isOver = Guarded(false)
    let lost = Guarded<[UInt64]>([])
    withThreads(2) { thread in
      if thread == 0 {
        for sequence in 1...count {
          audience.acknowledge(copy.position(sequence), of: producer, at: 0)
          let isHandled = audience.withCursor { $0.hasHandled(sequence, of: producer) }
          if !isHandled { lost.withLock { $0.append(sequence) } }
        }
        isOver.withLock { $0 = true }
      } else {
        var saved = beginning
        while !isOver.withLock({ $0 }) { saved = audience.begin(from: saved, isSaved: true, at: 0) }
      }
    }
    #expect(lost.withLock { $0 } == [])
    #expect(audience.positions[producer] == position(count))
  }
}
