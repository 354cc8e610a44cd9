import CLibrary
import FileSignals
import Foundation
import TestSupport
import Testing

@testable import AppGroups

@Suite("Files of MMKV that cannot be adopted", .patient)
struct MMKVDamageTests: MMKVTests {
  let fixture: Fixture
  let suite: AppGroupsSuite

  init() throws {
    fixture = try Fixture()
    suite = try fixture.suite()
  }

  private var stored: [Data?] { [file, header].map { url in tolerating(else: nil) { try DurableFile.read(url) } } }

  /// Expects damage, and that neither the files nor the suite has changed.
  private func expectDamage(_ reason: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let before = stored
    let error = #expect(throws: MMKVFileError.self, sourceLocation: sourceLocation) {
      try suite.adopt(fromMMKV: file, keys: ["a": Int.self])
    }
    guard case .damaged(file, let found) = error else {
      Issue.record("\(String(describing: error)) is not damage", sourceLocation: sourceLocation)
      return
    }
    #expect(found.contains(reason), sourceLocation: sourceLocation)
    #expect(suite.value.keys == [], sourceLocation: sourceLocation)
    #expect(stored == before, sourceLocation: sourceLocation)
  }

  @Test
  func `damage is an error, and changes nothing`() throws {
    var content = MMKVContent()
    for count in 0..<100 { content.set("a", MMKVContent.integer(count)) }
    try content.write(to: file)
    let (bytes, checks) = (content.file, content.header)

    var flipped = bytes
    flipped[20] ^= 1
    try flipped.write(to: file)
    try expectDamage("does not match the checksum")
    for count in [4, 100, content.records.count + 3] {
      try bytes.prefix(count).write(to: file)
      try expectDamage("does not match the checksum")
    }
    for count in [0, 3] {
      try bytes.prefix(count).write(to: file)
      try expectDamage("cut off")
    }
    try bytes.write(to: file)
    try checks.prefix(111).write(to: header)
    try expectDamage("cut off")
    try Data(count: 4096).write(to: header)
    try expectDamage("does not match the checksum")
    content.version = 7
    try content.header.write(to: header)
    try expectDamage("unknown version 7")
    try FileManager.default.removeItem(at: header)
    try expectDamage("mmkv.default.crc is not beside it")
    try checks.write(to: header)
    #expect(try suite.adopt(fromMMKV: file, keys: ["a": Int.self]).adopted == ["a"])
  }

  @Test
  func `a file of another program is an error`() throws {
    try Data(#"{"a": 1}"#.utf8).write(to: file)
    try expectDamage("is not beside it")
    try Data(#"{"a": 1}"#.utf8).write(to: header)
    try expectDamage("cut off")
    try Data(repeating: 0x20, count: 4096).write(to: header)
    try expectDamage("unknown version")
  }

  @Test
  func `encrypted values are an error that names the remedy`() throws {
    var chance = Chance(seed: 7)
    var content = MMKVContent()
    content.records = (0..<400).map { _ in UInt8.random(in: 0...255, using: &chance) }
    // The oldest versions encrypt without a random vector.
    for vector in [[UInt8](repeating: 9, count: 16), [UInt8](repeating: 0, count: 16)] {
      content.vector = vector
      let error = #expect(throws: MMKVFileError.self) { try adopt(content, ["a": Int.self]) }
      #expect(error == .encrypted(file))
      #expect(error?.description.contains("reset(cryptKey: nil)") == true)
    }
    // Few encrypted bytes may look like a record.
    var short = MMKVContent(vector: [UInt8](repeating: 9, count: 16))
    short.records = [0x80, 0x12, 1, 97, 3, 1, 2, 3]
    #expect(throws: MMKVFileError.encrypted(file)) { try adopt(short, ["a": Int.self]) }
    // The vector stays when the encryption is removed.
    var plain = MMKVContent(vector: [UInt8](repeating: 9, count: 16))
    plain.set("a", [1])
    #expect(try adopt(plain, ["a": Int.self]).adopted == ["a"])
  }

  @Test
  func `a file beyond the limit is not read`() throws {
    try MMKVContent().write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    try handle.truncate(atOffset: 64 << 20 + 1)
    try handle.close()
    let limit = 64 << 20
    let error = #expect(throws: MMKVFileError.self) { try suite.adopt(fromMMKV: file, keys: [:]) }
    #expect(error == .inaccessible(.exceedsLimit(file, size: limit + 1, limit: limit)))
    #expect(error?.description.contains("larger maximumSize") == true)
    let larger = try AppGroupsSuite(
      name: "large.json", container: fixture.container, options: .init(durability: .process, maximumSize: 65 << 20))
    #expect(try larger.adopt(fromMMKV: file, keys: ["a": Int.self]).missing == ["a"])
  }

  @Test
  func `what the suite has no room for is an error, and changes nothing`() throws {
    var content = MMKVContent()
    content.set("text", MMKVContent.string(String(repeating: "x", count: 2000)))
    try content.write(to: file)
    let small = try AppGroupsSuite(
      name: "small.json", container: fixture.container, options: .init(durability: .process, maximumSize: 1000))
    #expect(throws: AppGroupsFileError.self) { try small.adopt(fromMMKV: file, keys: ["text": String.self]) }
    #expect(small.value.keys == [])
  }

  @Test
  func `a missing file, a directory and a named pipe are errors`() throws {
    #expect(throws: MMKVFileError.inaccessible(.notFound(file))) { try suite.adopt(fromMMKV: file, keys: [:]) }
    try MMKVContent().write(to: file)
    try FileManager.default.removeItem(at: file)
    #expect(throws: MMKVFileError.inaccessible(.notFound(file))) { try suite.adopt(fromMMKV: file, keys: [:]) }
    #expect(mkfifo(file.path, 0o600) == 0)
    #expect(throws: MMKVFileError.self) { try suite.adopt(fromMMKV: file, keys: [:]) }
    #expect(throws: MMKVFileError.self) { try suite.adopt(fromMMKV: fixture.directory.url, keys: [:]) }
  }

  @Test
  func `any bytes are values or a typed error`() async {
    let types: [any (Codable & Sendable).Type] = [
      Bool.self, Int.self, Int8.self, UInt16.self, UInt64.self, Float.self, Double.self, Date.self, String.self,
      Data.self, [String].self, [Int].self,
    ]
    await runRandomPrograms(seconds: 0.5, repetitions: 1) { seed in
      var chance = Chance(seed: seed)
      var content = MMKVContent(capacity: 0)
      for _ in 0..<chance.number(below: 6) {
        let bytes = (0..<chance.number(below: 20)).map { _ in UInt8.random(in: 0...255, using: &chance) }
        content.set(["a", "b", "é"].randomElement(using: &chance) ?? "", chance.once(in: 2) ? bytes : [3, 1, 97, 0])
      }
      for _ in 0..<chance.number(below: 4) {
        let index = chance.number(below: content.records.count)
        content.records[index] = UInt8.random(in: 0...255, using: &chance)
      }
      if chance.once(in: 4) { content.records.removeLast(chance.number(below: content.records.count)) }
      if chance.once(in: 4) { content.flags = 1 }
      if chance.once(in: 4) { content.version = .random(in: 0...8, using: &chance) }
      if chance.once(in: 4) { content.oldSize = .random(in: 0...60, using: &chance) }
      if chance.once(in: 4) { content.vector[3] = 1 }
      var (header, file) = (content.header, content.file)
      if chance.once(in: 8) { header[chance.number(below: 112)] ^= 1 << UInt8(chance.number(below: 8)) }
      if chance.once(in: 8) { header = header.prefix(chance.number(below: 120)) }
      if chance.once(in: 8) { file = file.prefix(chance.number(below: file.count + 1)) }
      do throws(MMKVFileError) {
        let values = try MMKVFile(header: header, records: file, of: self.file).values
        for bytes in values.values {
          guard let type = types.randomElement(using: &chance) else { continue }
          do throws(MMKVReader.Refusal) {
            _ = try MMKVReader.value(bytes, as: type)
          } catch {
            #expect(!error.description.isEmpty, "SIGNALS_SEED=\(seed)")
          }
        }
      } catch {
        #expect(!error.description.isEmpty, "SIGNALS_SEED=\(seed)")
      }
      return true
    }
  }
}
