import FileSignals
import Foundation
import TestSupport
import Testing

@testable import AppGroups

/// Journals as bytes: what is read of them, whatever was done to them.
@Suite("The records of a journal")
struct JournalTests {
  let directory: TemporaryDirectory
  let file: URL
  private let content = Data("{}\n".utf8)

  init() throws {
    directory = try TemporaryDirectory()
    file = directory.url.appending(path: "s.json")
    try content.write(to: file)
  }

  private var url: URL { directory.url.appending(path: ".shared/journals/s.json") }

  /// Makes a journal with records.
  ///
  /// - Returns: The range of each record.
  @discardableResult
  private func make(_ payloads: [Data], _ durability: Durability = .process) throws -> [Range<Int>] {
    let locked = try ExclusiveFile(locking: file)
    defer { locked.unlock() }
    let header = JournalHeader(continuing: content)
    let made = try locked.makeJournal(header.bytes, durability: durability)
    var mark = Journal(made, header, isNameStored: false).start
    return try payloads.map { payload in
      let start = mark.end
      mark = try mark.appending(payload.count, { $0.copyBytes(from: payload) }, durability: durability, to: locked)
      return start..<mark.end
    }
  }

  private func read(isSettled: Bool = true) throws -> JournalMark.Reading {
    let opened = try #require(try FileLocation(file).openJournal(isCreating: false).file)
    let journal = try #require(try Journal(opened, of: file))
    return try #require(journal.start.read(isSettled: isSettled))
  }

  private func change(_ body: (inout [UInt8]) -> Void) throws {
    var bytes = [UInt8](try Data(contentsOf: url))
    body(&bytes)
    try Data(bytes).write(to: url)
  }

  private let payloads = (1...20).map { Data("change \($0) \(String(repeating: "x", count: $0 * 7))".utf8) }

  @Test
  func `records are read as they were appended, from any place on`() throws {
    try make(payloads)
    let reading = try read()
    #expect(reading.payloads == payloads && reading.damage.isEmpty && reading.rest == .nothing)
    #expect(reading.end.sequence == 20 && !reading.end.isDurable)
    #expect(reading.end.read(isSettled: false)?.payloads.isEmpty == true)
  }

  @Test
  func `a journal that is to survive a power failure says so`() throws {
    try make(Array(payloads[..<2]), .storage)
    #expect(try read().end.isDurable)
  }

  @Test
  func `a journal continues only the content that it names`() throws {
    try make([])
    let opened = try #require(try FileLocation(file).openJournal(isCreating: false).file)
    let header = try #require(try Journal(opened, of: file)).header
    #expect(header.continues(content))
    for other in ["", "{}", "{ }", "[]\n", "{}\n{}\n"] { #expect(!header.continues(Data(other.utf8))) }
    for index in 0..<JournalHeader.size {
      var bytes = header.bytes
      bytes[index] ^= 0x10
      #expect(JournalHeader(bytes) == nil, "byte \(index)")
    }
    #expect(JournalHeader(header.bytes.dropLast()) == nil)
  }

  @Test
  func `a torn tail is no damage, whether a writer may be about to complete it or was killed`() throws {
    let last = try make(payloads)[19]
    for size in last.lowerBound + 1..<last.upperBound {
      try change { $0.removeLast($0.count - size) }
      for isSettled in [true, false] {
        let reading = try read(isSettled: isSettled)
        #expect(reading.payloads == Array(payloads[..<19]) && reading.damage.isEmpty)
        #expect(reading.rest == .torn && reading.end.end == last.lowerBound)
      }
      try make(payloads)
    }
  }

  @Test(arguments: Wound.allCases, [0, 9, 18])
  func `a damaged record costs no other one, and is reported once`(wound: Wound, index: Int) throws {
    // Without a wait for the disk, zeros are not damage.
    let ranges = try make(payloads, Wound.small.contains(wound) ? .process : .storage)
    try change { wound.apply(to: &$0, ranges[index]) }
    for isSettled in [true, false] {
      let reading = try read(isSettled: isSettled)
      #expect(reading.payloads == payloads.enumerated().filter { $0.offset != index }.map(\.element))
      #expect(reading.damage.count == 1 && reading.rest == .nothing, "\(reading.damage)")
      #expect(reading.end.end == ranges[19].upperBound && reading.end.sequence == 20)
    }
  }

  @Test(arguments: [Wound.zeroed, .zeroedHeader], [0, 9, 18, 19])
  func `a record that a power failure has left out ends the journal`(wound: Wound, index: Int) throws {
    let ranges = try make(payloads)
    try change { wound.apply(to: &$0, ranges[index]) }
    for isSettled in [true, false] {
      let reading = try read(isSettled: isSettled)
      #expect(reading.payloads == Array(payloads[..<index]))
      #expect(reading.damage.isEmpty && reading.rest == .unwritten)
      #expect(reading.end.end == ranges[index].lowerBound && reading.end.sequence == index)
    }
  }

  @Test
  func `a hole of any size and place ends the journal, unless a later record was waited for`() throws {
    let ranges = try make(payloads)
    let whole = try Data(contentsOf: url)
    // What is written of a page at one time may end between two records, and that of a sector anywhere.
    for (index, range) in ranges.enumerated().dropLast() {
      for start in range.lowerBound...range.upperBound - LogRecord.headerSize {
        try whole.write(to: url)
        try change { for index in start..<ranges[index + 1].lowerBound + 4 { $0[index] = 0 } }
        let reading = try read()
        #expect(reading.payloads == Array(payloads[..<index]), "\(start) of \(range)")
        #expect(reading.damage.isEmpty && reading.rest == .unwritten)
      }
    }
    try make(payloads, .storage)
    try change { for index in ranges[3].lowerBound..<ranges[5].upperBound { $0[index] = 0 } }
    let reading = try read()
    #expect(reading.payloads == Array(payloads[..<3] + payloads[6...]) && reading.damage.count == 1)
    #expect(reading.end.sequence == 20 && reading.end.isDurable)
  }

  @Test(arguments: Wound.small)
  func `a damaged last record is reported by the process that has the lock`(wound: Wound) throws {
    let ranges = try make(payloads)
    try change { wound.apply(to: &$0, ranges[19]) }
    let reading = try read()
    #expect(reading.payloads == Array(payloads[..<19]))
    var reasons = reading.damage
    if case .damaged(let reason) = reading.rest { reasons.append(reason) }
    #expect(reasons.count == 1, "\(reading.rest) \(reading.damage)")
    let other = try read(isSettled: false)
    #expect(other.payloads == reading.payloads)
  }

  @Test(arguments: ["", "-", "tru", "1 2", "\"", "{", "[1,]", "{}x", "\u{7}", "\u{FEFF}1"])
  func `a record with a value that is not JSON is refused`(text: String) {
    let names = ["a", "b"].map { ExactString($0) }
    let good = SuiteOverlay.record(of: [names[0]: SuiteEntry(names[0], text: Data("1".utf8)), names[1]: nil])
    #expect(SuiteOverlay.changes(in: good)?.count == 2)
    let bad = SuiteOverlay.record(of: [names[0]: SuiteEntry(names[0], text: Data(text.utf8))])
    #expect(SuiteOverlay.changes(in: bad) == nil)
    #expect(SuiteOverlay.changes(in: good + bad) == nil)
  }

  @Test
  func `records of another journal are not read`() throws {
    try make(payloads)
    let foreign = try Data(contentsOf: url)
    let end = try make(Array(payloads[..<3])).last?.upperBound ?? 0
    try change { $0 += foreign[end...] }
    let reading = try read()
    #expect(reading.payloads == Array(payloads[..<3]))
    #expect(!reading.damage.isEmpty)
  }

  @Test
  func `a journal that was removed is read to its end`() throws {
    try make(payloads)
    let opened = try #require(try FileLocation(file).openJournal(isCreating: false).file)
    let journal = try #require(try Journal(opened, of: file))
    try make([])
    #expect(journal.start.read(isSettled: false)?.payloads == payloads)
    #expect(journal.file.status?.isLinked == false)
  }
}

@Suite("The changes of a suite since its file")
struct SuiteOverlayTests {
  @Test(.patient)
  func `maps with shared structure agree with dictionaries`() async {
    await runRandomPrograms(seconds: 1, repetitions: 1) { seed in
      var chance = Chance(seed: seed)
      var (model, overlay) = ([ExactString: SuiteEntry?](), SuiteOverlay())
      var old = [(model, overlay)]
      for step in 0..<300 {
        // Canonically equivalent names have the same hash.
        let number = chance.number(below: 200)
        let name = ExactString(chance.once(in: 8) ? ["é", "e\u{301}", "e\u{301}x"][number % 3] : "key \(number)")
        let entry = chance.once(in: 4) ? nil : SuiteEntry(name, text: Data("\(chance.number(below: 3))".utf8))
        let isKnown = overlay.change(name, to: entry) == model.updateValue(entry, forKey: name)
        if chance.once(in: 20) { old.append((model, overlay)) }
        let (oldModel, oldOverlay) = old[chance.number(below: old.count)]
        let changed = Set(model.keys).filter { model[$0] != oldModel[$0] }
        let differing = overlay.names(differingFrom: oldOverlay)
        let isRight =
          isKnown && overlay.changes == model && oldOverlay.changes == oldModel && changed.isSubset(of: differing)
          && overlay[ExactString("none")] == nil && model.allSatisfy { overlay[$0.key] == .some($0.value) }
        #expect(isRight, "SIGNALS_SEED=\(seed), step \(step)")
        if !isRight { return false }
      }
      return true
    }
  }

  @Test
  func `a change of one of many values shares the rest`() {
    var overlay = SuiteOverlay()
    for number in 0..<10_000 {
      let name = ExactString("key \(number)")
      _ = overlay.change(name, to: SuiteEntry(name, text: Data("1".utf8)))
    }
    var other = overlay
    let name = ExactString("key 5000")
    _ = other.change(name, to: nil)
    #expect(Set(other.names(differingFrom: overlay)) == [name])
    #expect(overlay.names(differingFrom: overlay).isEmpty)
  }

  @Test
  func `records contain any names and values, and others are refused`() throws {
    let values = [
      ("", "1"), ("é", "\"\\u0000\""), ("e\u{301}", "[\n    1\n  ]"),
      ("long \(String(repeating: "x", count: 999))", "{}"),
    ]
    var changes = Dictionary(
      uniqueKeysWithValues: values.map { name, value in
        (ExactString(name), SuiteEntry?.some(SuiteEntry(ExactString(name), text: Data(value.utf8))))
      })
    changes.updateValue(nil, forKey: ExactString("removed"))
    let record = SuiteOverlay.record(of: changes)
    let read = try #require(SuiteOverlay.changes(in: record))
    #expect(Dictionary(uniqueKeysWithValues: read.map { ($0.name, $0.entry) }) == changes)
    for count in 1..<record.count where SuiteOverlay.changes(in: record.prefix(count)) != nil {
      #expect(SuiteOverlay.changes(in: record.prefix(count)).map { $0.count < changes.count } ?? true)
    }
    #expect(SuiteOverlay.changes(in: Data([1, 0, 0])) == nil)
  }
}
