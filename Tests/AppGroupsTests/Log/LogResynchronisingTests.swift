import CLibrary
import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@testable import AppGroups

/// A way to damage one record.
enum Wound: CaseIterable {
  case lengthHighBit, lengthMiddleBit, lengthLowBit, checksum, sequence, time, payload, zeroedHeader, zeroed

  /// Damages the record that lies in a range of a segment.
  func apply(to bytes: inout [UInt8], _ record: Range<Int>) {
    let start = record.lowerBound
    switch self {
    case .lengthHighBit: bytes[start + 3] ^= 0x80
    case .lengthMiddleBit: bytes[start + 1] ^= 0x20
    case .lengthLowBit: bytes[start] ^= 0x04
    case .checksum: bytes[start + 5] ^= 0x01
    case .sequence: bytes[start + 8] ^= 0x10
    case .time: bytes[start + 16] ^= 0x02
    case .payload: bytes[(start + LogRecord.headerSize + record.upperBound) / 2] ^= 0x40
    case .zeroedHeader: for index in start..<start + LogRecord.headerSize { bytes[index] = 0 }
    case .zeroed: for index in record { bytes[index] = 0 }
    }
  }

  /// The cases that change one byte.
  static let small: [Wound] = [
    .lengthHighBit, .lengthMiddleBit, .lengthLowBit, .checksum, .sequence, .time, .payload,
  ]
}

@Suite("Log: resuming after damage", .patient, .eachKernel)
struct LogResynchronisingTests {
  private let segment: SegmentFixture
  private let log: AppGroupsLog<Data>
  private let consumer: ConsumerPlace

  init() throws {
    segment = try SegmentFixture()
    let raw = FileFormat<Data>(encode: { $0 }, decode: { $0 })
    log = try AppGroupsLog(name: "log", container: segment.fixture.container, format: raw)
    consumer = try ConsumerPlace(name: "widget", place: segment.place)
  }

  private var url: URL { segment.place.url(of: segment.id) }

  /// The range of each record in a segment.
  private func ranges(of payloads: [Data]) -> [Range<Int>] {
    var (start, ranges) = (SegmentHeader.size, [Range<Int>]())
    for payload in payloads {
      ranges.append(start..<start + LogRecord.size(of: payload))
      start += LogRecord.size(of: payload)
    }
    return ranges
  }

  /// Writes a segment of a producer that has ended, and reads it as an existing consumer.
  ///
  /// - Returns: The delivered payloads and the reported failures.
  private func read(_ bytes: [UInt8]) async throws -> (payloads: [Data], failures: [AppGroupsLogError]) {
    // The previous feed saves its cursor on its own queue when it ends.
    while try consumer.lock() == nil { try await Task.sleep(for: .milliseconds(1)) }
    // A background trim must not combine the previous segment's cursor with this segment.
    try withExtendedLifetime(try segment.place.lockTrimming(isWaiting: true)) { _ in
      try consumer.save((try consumer.load() ?? [:]).filter { $0.key == log.producer })
      try Data(bytes).write(to: url)
    }
    try log.trim()
    #expect(FileManager.default.fileExists(atPath: url.path), "a segment that was not read was removed")
    let events = try log.events(for: "widget")
    let failures = events.failures.recorded()
    let entries = events.recorded()
    // Its time is later than all others, so they were delivered before it.
    try log.append(Data("end".utf8))
    try await entries.first("the end") { $0.producer == log.producer }
    // The end of a segment is recorded after the last event was delivered.
    events.feed.queue.sync {}
    try await events.saveProgress()
    try log.trim()
    #expect(!FileManager.default.fileExists(atPath: url.path), "a segment that was read was kept")
    return (entries.elements.map(\.event).dropLast(), failures.elements)
  }

  private func isDamage(_ error: AppGroupsLogError) -> Bool {
    if case .damaged = error { true } else { false }
  }

  @Test(arguments: Wound.allCases, [0, 14, 29])
  func `a damaged record loses no other event, and is reported once`(wound: Wound, index: Int) async throws {
    let payloads = (1...30).map { Data("event \($0) \(String(repeating: "x", count: $0 * 7))".utf8) }
    var bytes = segment.bytes(payloads)
    wound.apply(to: &bytes, ranges(of: payloads)[index])
    let (read, failures) = try await read(bytes)
    #expect(read == payloads.enumerated().filter { $0.offset != index }.map(\.element))
    #expect(failures.count == 1 && failures.allSatisfy(isDamage), "\(failures)")
  }

  @Test
  func `two damaged records close together lose no other event`() async throws {
    let payloads = (1...30).map { Data("event \($0)".utf8) }
    for (first, second) in [(Wound.payload, Wound.lengthHighBit), (.lengthHighBit, .payload), (.zeroed, .zeroed)] {
      for gap in [1, 2] {
        var bytes = segment.bytes(payloads)
        first.apply(to: &bytes, ranges(of: payloads)[10])
        second.apply(to: &bytes, ranges(of: payloads)[10 + gap])
        let (read, failures) = try await read(bytes)
        #expect(read == payloads.enumerated().filter { ![10, 10 + gap].contains($0.offset) }.map(\.element))
        #expect((1...2).contains(failures.count) && failures.allSatisfy(isDamage), "\(failures)")
      }
    }
  }

  @Test
  func `inserted bytes lose no event, and removed records lose only themselves`() async throws {
    let payloads = (1...30).map { Data("event \($0)".utf8) }
    let place = ranges(of: payloads)[10]
    var longer = segment.bytes(payloads)
    longer.insert(contentsOf: (0..<100).map { UInt8($0) }, at: place.lowerBound)
    let (all, insertions) = try await read(longer)
    #expect(all == payloads)
    #expect(insertions.count == 1 && insertions.allSatisfy(isDamage), "\(insertions)")
    var shorter = segment.bytes(payloads)
    shorter.removeSubrange(place)
    let (rest, cuts) = try await read(shorter)
    #expect(rest == Array(payloads[..<10]) + Array(payloads[11...]))
    #expect(cuts.count == 1 && cuts.allSatisfy(isDamage), "\(cuts)")
  }

  @Test(arguments: Wound.small)
  func `records inside a damaged payload are not mistaken for events`(wound: Wound) async throws {
    for numbers in [[3], [2], [4], [3, 4, 5], [2, 3]] {
      let fakes = numbers.flatMap { segment.record(Data("fake \($0)".utf8), UInt64($0)) }
      for (before, after) in [(0, 0), (50, 50), (50, 0)] {
        let payload = Data(repeating: 65, count: before) + Data(fakes) + Data(repeating: 66, count: after)
        let payloads = [Data("one".utf8), payload, Data("three".utf8), Data("four".utf8)]
        var bytes = segment.bytes(payloads)
        let range = ranges(of: payloads)[1]
        wound.apply(to: &bytes, wound == .payload && before == 0 ? range.lowerBound..<range.lowerBound + 30 : range)
        let (read, failures) = try await read(bytes)
        #expect(read == [payloads[0], payloads[2], payloads[3]], "\(numbers), \(before), \(after)")
        #expect(failures.count == 1 && failures.allSatisfy(isDamage), "\(failures)")
      }
    }
  }

  @Test
  func `a record still being written is not reported as damage, whatever its payload`() throws {
    let fake = Data(segment.record(Data("fake".utf8), 3))
    let payloads = [Data("one".utf8), Data(repeating: 65, count: 50) + fake + Data(repeating: 66, count: 50)]
    let bytes = segment.bytes(payloads)
    let file = open(url.path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { close(file) }
    #expect(flock(file, LOCK_EX | LOCK_NB) == 0)
    var written = 0
    func write(upTo count: Int) {
      written += bytes[written..<count].withUnsafeBytes { CLibrary.write(file, $0.baseAddress, $0.count) }
    }
    write(upTo: ranges(of: payloads)[1].lowerBound)
    let reader = ProducerReader(segment.id.producer, in: segment.place, from: .beginning)
    var failures: [AppGroupsLogError] = []
    reader.update([1])
    reader.advance { failures.append($0) }
    #expect(reader.head?.sequence == 1)
    // Written byte by byte, and read far more often than a reader checks for damage.
    for count in written + 1...bytes.count {
      write(upTo: count)
      for _ in 1...8 where reader.head?.sequence != 2 { reader.advance { failures.append($0) } }
      #expect(reader.head?.sequence == (count == bytes.count ? 2 : nil))
    }
    #expect(failures == [])
  }

  @Test
  func `damage in a live segment loses no event appended later`() throws {
    let payloads = (1...3).map { Data("event \($0)".utf8) }
    for wound in Wound.allCases {
      var bytes = segment.bytes(payloads)
      wound.apply(to: &bytes, ranges(of: payloads)[1])
      try Data(bytes[..<ranges(of: payloads)[1].upperBound]).write(to: url)
      let file = open(url.path, O_RDWR | O_APPEND | O_CLOEXEC)
      defer { close(file) }
      #expect(flock(file, LOCK_EX | LOCK_NB) == 0)
      let reader = ProducerReader(segment.id.producer, in: segment.place, from: .beginning)
      var (failures, heads) = ([AppGroupsLogError](), [UInt64]())
      func advance() {
        for _ in 1...8 {
          reader.advance { failures.append($0) }
          if let head = reader.head { heads.append(head.sequence) }
        }
      }
      reader.update([1])
      advance()
      #expect(heads == [1])
      _ = bytes[ranges(of: payloads)[2]].withUnsafeBytes { CLibrary.write(file, $0.baseAddress, $0.count) }
      advance()
      #expect(heads == [1, 3], "\(wound)")
      #expect(failures.count == 1 && failures.allSatisfy(isDamage), "\(wound): \(failures)")
    }
  }

  @Test
  func `a segment truncated during the search for its next record yields none`() throws {
    try Data(segment.bytes([Data("one".utf8)])).write(to: url)
    let file = open(url.path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var search = SegmentSearch(file: file, salt: 0, start: 1000, end: 100, sequence: 2)
    #expect(search.place() == nil)
  }
}
