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
  private func write(_ times: [UInt64], of producer: UUID) throws -> SegmentID {
    let id = SegmentID(producer: producer, index: 1)
    let header = SegmentHeader(id: id, firstSequence: 1, time: 0)
    var bytes = header.bytes
    for (index, time) in times.enumerated() {
      let payload = Data("\(time)".utf8)
      var record = [UInt8](repeating: 0, count: LogRecord.size(of: payload))
      record.withUnsafeMutableBytes {
        LogRecord.write(payload, sequence: UInt64(index) + 1, time: time, salt: header.salt, to: $0)
      }
      bytes += record
    }
    try Data(bytes).write(to: place.url(of: id))
    return id
  }

  private func rest(of reader: LogReader) -> [UInt64] {
    var times: [UInt64] = []
    while let (_, record, _) = reader.next() { times.append(record.time) }
    return times
  }

  @Test
  func `an older event found after a delivery is delivered next, and none is skipped`() throws {
    _ = try write([10, 30, 50], of: UUID())
    let reader = LogReader(place, from: [:]) { Issue.record("\($0)") }
    reader.scan()
    #expect(reader.next()?.record.time == 10)
    _ = try write([5, 40], of: UUID())
    reader.scan()
    #expect(rest(of: reader) == [5, 30, 40, 50])
  }

  @Test
  func `an event appended after a delivery is found when its segment is read again`() throws {
    let producer = UUID()
    let id = try write([1], of: producer)
    let reader = LogReader(place, from: [:]) { Issue.record("\($0)") }
    reader.scan()
    #expect(reader.next()?.record.time == 1)
    // Once before the reader has reached the end of the file, and once after.
    _ = try write([1, 2], of: producer)
    #expect(reader.look(atSegment: id.fileName))
    #expect(rest(of: reader) == [2])
    _ = try write([1, 2, 3], of: producer)
    #expect(reader.look(atSegment: id.fileName))
    #expect(rest(of: reader) == [3])
    #expect(reader.takeExhausted().map(\.producer).contains(producer))
  }
}
