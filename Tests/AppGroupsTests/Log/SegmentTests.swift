@testable import AppGroups
import FileSignals
import CLibrary
import Foundation
import TestSupport
import Testing

/// A handmade segment that tests truncate and damage.
struct SegmentFixture {
  let fixture: Fixture
  let place: LogPlace
  let id = SegmentID(producer: UUID(), index: 1)

  private func header(_ first: UInt64 = 1) -> SegmentHeader { SegmentHeader(id: id, firstSequence: first, time: 0) }

  init() throws {
    fixture = try Fixture()
    place = try LogPlace(name: "log", container: fixture.container)
  }

  /// The bytes of a segment with some payloads.
  func bytes(_ payloads: [Data], first: UInt64 = 1) -> [UInt8] {
    let header = header(first)
    var bytes = header.bytes
    for (index, payload) in payloads.enumerated() { bytes += record(payload, first + UInt64(index), header.salt) }
    return bytes
  }

  /// The bytes of one record of the segment.
  func record(_ payload: Data, _ sequence: UInt64, _ salt: UInt32? = nil) -> [UInt8] {
    let salt = salt ?? header().salt
    var record = [UInt8](repeating: 0, count: LogRecord.size(of: payload))
    record.withUnsafeMutableBytes { LogRecord.write(payload, sequence: sequence, time: sequence, salt: salt, to: $0) }
    return record
  }

  /// Returns the payloads that a reader finds in the given bytes.
  func payloads(of bytes: [UInt8]) throws -> [Data] {
    try Data(bytes).write(to: place.url(of: id))
    guard let reader = try? SegmentReader(id, in: place, from: .beginning) else { return [] }
    var payloads: [Data] = []
    while true {
      switch reader.next(.sealed) {
      case .record(let record): payloads.append(record.payload)
      case .damaged(let damage) where damage.next != nil: continue
      case .damaged, .doubtful, .end: return payloads
      case .failed(let error): throw error
      }
    }
  }
}

@Suite("Log: the format of a segment", .seeded, .patient)
struct SegmentTests {
  @Test func `a file that cannot be read is neither damaged nor without records`() throws {
    let fixture = try Fixture()
    let url = fixture.directory.url.appending(path: "segment")
    try Data(repeating: 1, count: 1000).write(to: url)
    // Reading it fails, as with a disk that has an error for a moment.
    let file = open(url.path, O_WRONLY | O_CLOEXEC)
    defer { close(file) }
    #expect(throws: AppGroupsLogError.self) { try SegmentHeader(of: file, at: url) }
    var search = SegmentSearch(file: file, salt: 0, start: 0, end: 1000, sequence: 1)
    #expect(search.place() == nil)
    #expect(search.failure == EBADF)
  }

  private func randomPayloads(_ count: Int, largest: Int, using chance: inout Chance) -> [Data] {
    (0..<count).map { _ in
      Data((0..<chance.number(below: largest + 1)).map { _ in UInt8.random(in: .min ... .max, using: &chance) })
    }
  }

  private func damage(_ bytes: inout [UInt8], _ chance: inout Chance) {
    switch chance.number(below: 5) {
    case 0: bytes[chance.number(below: bytes.count)] ^= 1 << UInt8(chance.number(below: 8))
    case 1: bytes.removeLast(chance.number(below: bytes.count))
    case 2: bytes.insert(UInt8(chance.number(below: 256)), at: chance.number(below: bytes.count + 1))
    case 3:
      let start = chance.number(below: bytes.count)
      for index in start..<min(bytes.count, start + 30) { bytes[index] = 0 }
    default: bytes += (0...chance.number(below: 60)).map { _ in UInt8.random(in: .min ... .max, using: &chance) }
    }
  }

  @Test
  func `the checksum is the standard CRC-32`() {
    #expect(Array("123456789".utf8).withUnsafeBytes { Checksum.of($0) } == 0xCBF4_3926)
    #expect(Checksum.of(UnsafeRawBufferPointer(start: nil, count: 0)) == 0)
  }

  @Test
  func `a segment's name identifies it, and no other name is accepted`() {
    let id = SegmentID(producer: UUID(), index: 7)
    #expect(SegmentID(fileName: id.fileName) == id)
    for name in [
      "", ".segment", id.temporaryName, id.fileName.uppercased(), "\(UUID().uuidString.lowercased()).7.segment",
      "\(UUID().uuidString.lowercased()).00000000.segment", "../\(id.fileName)", "x.00000001.segment",
      "\(UUID().uuidString.lowercased()).\(UInt64.max).segment",
    ] { #expect(SegmentID(fileName: name) == nil, "\(name)") }
  }

  @Test
  func `payloads of any size are read as written`() throws {
    let segment = try SegmentFixture()
    var chance = Chance()
    for largest in [0, 10, 5000, 300_000] {
      let payloads = randomPayloads(largest > 10_000 ? 5 : 60, largest: largest, using: &chance)
      #expect(try segment.payloads(of: segment.bytes(payloads)) == payloads)
    }
  }

  @Test
  func `a prefix of a segment yields a prefix of its records`() throws {
    let segment = try SegmentFixture()
    var chance = Chance()
    let payloads = randomPayloads(12, largest: 20, using: &chance)
    let bytes = segment.bytes(payloads)
    var ends = [SegmentHeader.size]
    for payload in payloads { ends.append(ends[ends.count - 1] + LogRecord.size(of: payload)) }
    for count in 0...bytes.count {
      let whole = max(0, ends.count { $0 <= count } - 1)
      #expect(try segment.payloads(of: Array(bytes[..<count])) == Array(payloads[..<whole]), "\(count) bytes")
    }
  }

  @Test
  func `a damaged segment yields only its own records, in order`() throws {
    let segment = try SegmentFixture()
    var chance = Chance()
    for round in 0..<Scale.count(300, torture: 20_000) {
      let payloads = randomPayloads(8, largest: 40, using: &chance)
      var bytes = segment.bytes(payloads)
      for _ in 0...chance.number(below: 3) where !bytes.isEmpty { damage(&bytes, &chance) }
      var rest = payloads[...]
      for payload in try segment.payloads(of: bytes) {
        guard let index = rest.firstIndex(of: payload) else {
          Issue.record("round \(round): \(payload) is no event, or came too late")
          break
        }
        rest = rest[(index + 1)...]
      }
      if round.isMultiple(of: 5000) { Scale.progress("\(round) damaged segments") }
    }
  }

  @Test
  func `an incomplete write that is rolled back hides no later record`() throws {
    let segment = try SegmentFixture()
    let url = segment.place.url(of: segment.id)
    let first = Data("first".utf8)
    let later = (1...500).map { Data("later \($0)".utf8) }
    let torn = segment.bytes([first, Data(count: 8000)])
    // The reader has seen the beginning of the torn record, and either missed its end or not looked for it yet.
    for (count, isEndSeen) in [(5000, true), (200, true), (90, true), (5000, false), (200, false)] {
      try Data(torn[..<count]).write(to: url)
      let reader = try SegmentReader(segment.id, in: segment.place, from: .beginning)
      #expect(payloads(of: reader, upTo: isEndSeen ? .max : 1) == [first])
      try Data(segment.bytes([first] + later)).write(to: url)
      #expect(payloads(of: reader) == later, "\(count) bytes")
    }
  }

  private func payloads(of reader: SegmentReader, upTo count: Int = .max) -> [Data] {
    var payloads: [Data] = []
    while payloads.count < count, case .record(let record) = reader.next(.growing) { payloads.append(record.payload) }
    return payloads
  }

  @Test
  func `a foreign segment, a pipe and a link are rejected`() throws {
    let segment = try SegmentFixture()
    try Data(segment.bytes([Data("x".utf8)])).write(to: segment.place.url(of: SegmentID(producer: UUID(), index: 1)))
    // A segment under the name of another.
    let other = SegmentID(producer: segment.id.producer, index: 2)
    try Data(segment.bytes([])).write(to: segment.place.url(of: other))
    #expect(throws: AppGroupsLogError.self) { try SegmentReader(other, in: segment.place, from: .beginning) }
    // Opening a named pipe could block, and a link may lead anywhere.
    let pipe = SegmentID(producer: segment.id.producer, index: 3)
    mkfifo(segment.place.url(of: pipe).path, 0o600)
    #expect(throws: AppGroupsLogError.self) { try SegmentReader(pipe, in: segment.place, from: .beginning) }
    let link = SegmentID(producer: segment.id.producer, index: 4)
    try FileManager.default.createSymbolicLink(
      at: segment.place.url(of: link), withDestinationURL: segment.place.url(of: other))
    #expect(throws: AppGroupsLogError.self) { try SegmentReader(link, in: segment.place, from: .beginning) }
  }

  @Test(arguments: [0, UInt64.max, UInt64.max / 2])
  func `a segment with impossible sequence numbers is rejected without a crash`(first: UInt64) throws {
    let segment = try SegmentFixture()
    try Data(SegmentHeader(id: segment.id, firstSequence: first, time: 0).bytes)
      .write(to: segment.place.url(of: segment.id))
    #expect(throws: AppGroupsLogError.self) { try SegmentReader(segment.id, in: segment.place, from: .beginning) }
    #expect(LogEnd.positions(in: segment.place).isEmpty)
  }

  @Test
  func `the clock never goes back, and advances past plausible observed times`() {
    let clock = LogClock()
    var last: UInt64 = 0
    for _ in 0..<1000 {
      let time = clock.next()
      #expect(time > last)
      last = time
    }
    clock.observe(last + 1_000_000_000_000)
    #expect(clock.next() > last + 1_000_000_000_000)
    clock.observe(.max)
    #expect(clock.next() < last + 3_000_000_000_000)
  }
}
