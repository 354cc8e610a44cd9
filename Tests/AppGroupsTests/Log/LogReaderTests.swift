@testable import AppGroups
import Foundation
import TestSupport
import Testing

@Suite("Log: merging the events of several producers")
struct LogReaderTests {
  private let fixture: Fixture
  private let place: LogPlace

  init() throws {
    fixture = try Fixture()
    place = try LogPlace(name: "log", container: fixture.container)
  }

  /// Writes a producer's segment with one record for each time, whose payload is the time as text.
  ///
  /// The file of a segment that was written before keeps its identity.
  @discardableResult
  private func write(
    _ times: [UInt64], of producer: UUID, segment: UInt64 = 1, after first: UInt64 = 0
  ) throws -> SegmentID {
    let id = SegmentID(producer: producer, index: segment)
    let header = SegmentHeader(id: id, firstSequence: first + 1, time: 0)
    var bytes = header.bytes
    for (index, time) in times.enumerated() {
      let payload = Data("\(time)".utf8)
      var record = [UInt8](repeating: 0, count: LogRecord.size(of: payload))
      record.withUnsafeMutableBytes {
        LogRecord.write(payload, sequence: first + UInt64(index) + 1, time: time, salt: header.salt, to: $0)
      }
      bytes += record
    }
    try Data(bytes).write(to: place.url(of: id))
    return id
  }

  private func rest(of reader: LogReader) -> [UInt64] {
    var times: [UInt64] = []
    while let (_, record, _) = reader.read({ $0.next() }) { times.append(record.time) }
    return times
  }

  @Test
  func `an older event found after a delivery is delivered next, and none is skipped`() throws {
    _ = try write([10, 30, 50], of: UUID())
    let reader = LogReader(place, from: [:]) { Issue.record("\($0)") }
    reader.read { $0.scan() }
    #expect(reader.read({ $0.next() })?.record.time == 10)
    _ = try write([5, 40], of: UUID())
    reader.read { $0.scan() }
    #expect(rest(of: reader) == [5, 30, 40, 50])
  }

  @Test
  func `an event appended after a delivery is found when its segment is read again`() throws {
    let producer = UUID()
    let id = try write([1], of: producer)
    let reader = LogReader(place, from: [:]) { Issue.record("\($0)") }
    reader.read { $0.scan() }
    #expect(reader.read({ $0.next() })?.record.time == 1)
    // Once before the reader has reached the end of the file, and once after.
    _ = try write([1, 2], of: producer)
    #expect(reader.read { $0.look(atSegment: id.fileName) })
    #expect(rest(of: reader) == [2])
    _ = try write([1, 2, 3], of: producer)
    #expect(reader.read { $0.look(atSegment: id.fileName) })
    #expect(rest(of: reader) == [3])
    #expect(reader.read { $0.takeExhausted() }.map(\.producer).contains(producer))
  }

  // MARK: Causes

  private let cause = UUID()
  private let effect = UUID()

  /// A reader that has delivered an event of each producer, and found no other.
  private func reader() throws -> LogReader {
    try write([1], of: cause)
    try write([2], of: effect)
    let reader = LogReader(place, from: [:]) { Issue.record("\($0)") }
    reader.read { $0.scan() }
    #expect(rest(of: reader) == [1, 2])
    return reader
  }

  @Test
  func `a cause in a segment that was read to its end is delivered before its effect`() throws {
    let reader = try reader()
    try write([1, 10], of: cause)
    let id = try write([2, 20], of: effect)
    // Only the effect is announced.
    #expect(reader.read { $0.look(atSegment: id.fileName) })
    #expect(rest(of: reader) == [10, 20])
  }

  @Test
  func `a cause in a new segment of its producer is delivered before its effect`() throws {
    let reader = try reader()
    try write([10], of: cause, segment: 2, after: 1)
    let id = try write([2, 20], of: effect)
    #expect(reader.read { $0.look(atSegment: id.fileName) })
    #expect(rest(of: reader) == [10, 20])
  }

  @Test
  func `a cause of a new producer is delivered before its effect, however soon the producer appears`() throws {
    let reader = try reader()
    for number in UInt64(1)...50 {
      try write([number * 10], of: UUID())
      let id = try write([2] + (1...number).map { $0 * 10 + 5 }, of: effect)
      #expect(reader.read { $0.look(atSegment: id.fileName) })
      #expect(rest(of: reader) == [number * 10, number * 10 + 5])
    }
  }

  @Test
  func `a chain of causes among more producers than open files is delivered in order`() throws {
    let producers = (0..<40).map { _ in UUID() }
    for (index, producer) in producers.enumerated() { try write([UInt64(index) + 1], of: producer) }
    let reader = LogReader(place, from: [:]) { Issue.record("\($0)") }
    reader.read { $0.scan() }
    #expect(rest(of: reader) == (1...40).map { $0 })
    var ids: [SegmentID] = []
    for (index, producer) in producers.enumerated() {
      ids.append(try write([UInt64(index) + 1, 100 + UInt64(index)], of: producer))
    }
    #expect(reader.read { $0.look(atSegment: ids[39].fileName) })
    #expect(rest(of: reader) == (100..<140).map { $0 })
  }
}
