import AppGroups
import CLibrary
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Adopting values from MMKV", .patient)
struct MMKVAdoptionTests: MMKVTests {
  let fixture: Fixture
  let suite: AppGroupsSuite

  init() throws {
    fixture = try Fixture()
    suite = try fixture.suite()
  }

  @Test
  func `values of all types keep them`() throws {
    var content = MMKVContent()
    content.set("yes", [1])
    content.set("no", [0])
    content.set("small", MMKVContent.integer(-7))
    content.set("large", MMKVContent.integer(.max))
    content.set("unsigned", MMKVContent.integer(-1))
    content.set("float", MMKVContent.bytes(Float(0.5).bitPattern))
    content.set("double", MMKVContent.bytes(0.1.bitPattern))
    content.set("date", MMKVContent.bytes(1_000_000_000.5.bitPattern))
    content.set("text", MMKVContent.string("a/b é 🧵"))
    content.set("nothing", MMKVContent.string(""))
    content.set("data", MMKVContent.block([0, 255]))
    content.set("list", MMKVContent.block(MMKVContent.string("a") + MMKVContent.string("")))
    content.set("other", [1])
    let keys: [String: any (Codable & Sendable).Type] = [
      "yes": Bool.self, "no": Bool.self, "small": Int32.self, "large": Int64.self, "unsigned": UInt64.self,
      "float": Float.self, "double": Double.self, "date": Date.self, "text": String.self, "nothing": String.self,
      "data": Data.self, "list": [String].self,
    ]
    let adoption = try adopt(content, keys)
    #expect(adoption.refused == [:] && adoption.missing == [] && adoption.adopted == Set(keys.keys))
    let suite = try fixture.suite()
    #expect(try suite.value(forKey: "yes", as: Bool.self) == true)
    #expect(try suite.value(forKey: "no", as: Bool.self) == false)
    #expect(try suite.value(forKey: "small", as: Int.self) == -7)
    #expect(try suite.value(forKey: "large", as: Int.self) == .max)
    #expect(try suite.value(forKey: "unsigned", as: UInt64.self) == .max)
    #expect(try suite.value(forKey: "float", as: Float.self) == 0.5)
    #expect(try suite.value(forKey: "double", as: Double.self) == 0.1)
    #expect(try suite.value(forKey: "date", as: Date.self) == Date(timeIntervalSince1970: 1_000_000_000.5))
    #expect(try suite.value(forKey: "text", as: String.self) == "a/b é 🧵")
    #expect(try suite.value(forKey: "nothing", as: String.self) == "")
    #expect(try suite.value(forKey: "data", as: Data.self) == Data([0, 255]))
    #expect(try suite.value(forKey: "list", as: [String].self) == ["a", ""])
    #expect(!suite.value.contains("other"))
  }

  @Test
  func `files that MMKV wrote are read`() throws {
    let keys: [String: any (Codable & Sendable).Type] = [
      "yes": Bool.self, "small": Int32.self, "unsigned": UInt64.self, "float": Float.self, "double": Double.self,
      "text": String.self, "nothing": String.self, "data": Data.self, "list": [String].self, "count": Int.self,
      "gone": Int32.self, "past": String.self, "future": String.self,
    ]
    for (stored, missing) in [(MMKVStored.plain, ["future", "gone", "past"]), (.expiring, ["gone", "past"])] {
      try stored.write(to: file)
      let adoption = try suite.adopt(fromMMKV: file, keys: keys)
      #expect(adoption.refused == [:] && adoption.missing.sorted() == missing)
      #expect(try suite.value(forKey: "yes", as: Bool.self) == true)
      #expect(try suite.value(forKey: "small", as: Int.self) == -7)
      #expect(try suite.value(forKey: "unsigned", as: UInt64.self) == .max)
      #expect(try suite.value(forKey: "float", as: Float.self) == 0.5)
      #expect(try suite.value(forKey: "double", as: Double.self) == 0.1)
      #expect(try suite.value(forKey: "text", as: String.self) == "é 🧵")
      #expect(try suite.value(forKey: "nothing", as: String.self) == "")
      #expect(try suite.value(forKey: "data", as: Data.self) == Data([0, 255, 7]))
      #expect(try suite.value(forKey: "list", as: [String].self) == ["a", ""])
      #expect(try suite.value(forKey: "count", as: Int.self) == 300)
      #expect(try suite.value(forKey: "future", as: String.self) == (missing.contains("future") ? nil : "new"))
      try suite.removeAll()
    }
    try MMKVStored.encrypted.write(to: file)
    #expect(throws: MMKVFileError.encrypted(file)) { try suite.adopt(fromMMKV: file, keys: keys) }
    try MMKVStored.decrypted.write(to: file)
    #expect(try suite.adopt(fromMMKV: file, keys: keys).adopted == ["text", "yes"])
  }

  @Test
  func `the last value of a key counts, and a removed one is missing`() throws {
    var content = MMKVContent(capacity: 16384)
    for count in 0..<1000 { content.set("count", MMKVContent.integer(count)) }
    content.set("gone", [1])
    content.set("gone", [])
    content.set("back", [1])
    content.set("back", [])
    content.set("back", [2])
    let adoption = try adopt(content, ["count": Int.self, "gone": Int.self, "back": Int.self, "never": Int.self])
    #expect(adoption.adopted == ["back", "count"] && adoption.missing == ["gone", "never"])
    #expect(try suite.value(forKey: "count", as: Int.self) == 999)
    #expect(try suite.value(forKey: "back", as: Int.self) == 2)
  }

  @Test
  func `existing values are kept, and all adopted values are one change`() throws {
    var content = MMKVContent()
    for key in ["a", "b", "theme"] { content.set(key, MMKVContent.string("old")) }
    try suite.set("new", forKey: "theme")
    let changes = suite.changes.map(\.keys).recorded()
    let keys: [String: any (Codable & Sendable).Type] = ["a": String.self, "b": String.self, "theme": String.self]
    let first = try adopt(content, keys)
    #expect(first.adopted == ["a", "b"] && first.kept == ["theme"])
    #expect(try adopt(content, keys).kept == ["a", "b", "theme"])
    #expect(changes.elements == [["a", "b"]])
    #expect(try suite.value(forKey: "theme", as: String.self) == "new")
  }

  @Test
  func `a value that is not of its type is refused with the reason`() throws {
    struct Profile: Codable {}
    var content = MMKVContent()
    content.set("text", MMKVContent.string("seven"))
    content.set("double", MMKVContent.bytes(0.1.bitPattern))
    content.set("number", MMKVContent.integer(300))
    content.set("negative", MMKVContent.integer(-1))
    content.set("archive", Array("bplist00".utf8))
    content.set("nan", MMKVContent.bytes(Double.nan.bitPattern))
    content.set("latin", MMKVContent.block([0xE9]))
    content.set("long", MMKVContent.integer(5) + [0xFF])
    let adoption = try adopt(
      content,
      [
        "text": Int.self, "double": Float.self, "number": UInt8.self, "negative": UInt32.self, "archive": Data.self,
        "nan": Double.self, "latin": String.self, "long": Data.self,
      ])
    #expect(adoption.adopted == [] && adoption.refused.count == 8)
    #expect(adoption.refused["text"] == "MMKV stored it in 6 bytes, which are not a value of type Int")
    let unknown = try suite.adopt(fromMMKV: file, keys: ["text": Profile.self])
    #expect(unknown.refused["text"]?.hasPrefix("MMKV stores no values of type Profile") == true)
    #expect(suite.value.keys == [])
  }

  @Test
  func `expired values are missing, and the others are adopted without their time`() throws {
    var content = MMKVContent()
    let now = UInt32(Date().timeIntervalSince1970)
    content.set("past", MMKVContent.string("old"), until: now - 10)
    content.set("future", MMKVContent.string("new"), until: now + 10_000)
    content.set("last", MMKVContent.string("end"), until: .max)
    content.set("never", MMKVContent.integer(-3), until: 0)
    content.set("renewed", MMKVContent.integer(1), until: now - 10)
    content.set("renewed", MMKVContent.integer(2), until: now + 10_000)
    content.set("removed", MMKVContent.integer(1), until: 0)
    content.set("removed", [])
    let adoption = try adopt(
      content,
      [
        "past": String.self, "future": String.self, "last": String.self, "never": Int.self, "renewed": Int.self,
        "removed": Int.self,
      ])
    #expect(adoption.missing == ["past", "removed"] && adoption.refused == [:])
    #expect(try suite.value(forKey: "future", as: String.self) == "new")
    #expect(try suite.value(forKey: "never", as: Int.self) == -3)
    #expect(try suite.value(forKey: "renewed", as: Int.self) == 2)
  }

  @Test
  func `files of older versions, with their size at the beginning, are read`() throws {
    var content = MMKVContent()
    content.set("a", [1])
    content.oldSize = UInt32(content.records.count)
    for version in [0, 1, 2] as [UInt32] {
      content.version = version
      #expect(try adopt(content, ["a": Int.self]).missing == [])
    }
    // An older version has written last, and the newer header has an old size.
    content.version = 4
    let header = content.header
    content.set("b", [2])
    content.oldSize = UInt32(content.records.count)
    content.version = 2
    var mixed = header
    mixed.replaceSubrange(0..<4, with: content.header.prefix(4))
    try content.write(to: file)
    try mixed.write(to: self.header)
    #expect(try suite.adopt(fromMMKV: file, keys: ["b": Int.self]).adopted == ["b"])
  }

  @Test
  func `a new file and a cleared one have no values`() throws {
    try Data(count: 4096).write(to: file)
    try Data(count: 4096).write(to: header)
    #expect(try suite.adopt(fromMMKV: file, keys: ["a": Int.self]).missing == ["a"])
    // MMKV leaves the bytes where they are.
    var content = MMKVContent()
    content.set("a", [1])
    let bytes = content.file
    content.records = []
    try content.write(to: file)
    try bytes.write(to: file)
    #expect(try suite.adopt(fromMMKV: file, keys: ["a": Int.self]).missing == ["a"])
  }

  // MARK: MMKV at the same time

  @Test
  func `the locks of MMKV are neither waited for nor taken, and its files are not written`() throws {
    var content = MMKVContent()
    content.set("a", [1])
    try content.write(to: file)
    for url in [file, header] {
      try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: url.path)
    }
    let lock = open(header.path, O_RDONLY | O_CLOEXEC)
    defer { close(lock) }
    #expect(lock >= 0 && flock(lock, LOCK_EX) == 0)
    #expect(try suite.adopt(fromMMKV: file, keys: ["a": Int.self]).adopted == ["a"])
    #expect(try DurableFile.read(file) == content.file && DurableFile.read(header) == content.header)
    #expect(
      try fixture.contents(of: fixture.directory.url) == ["container", "mmkv.default", "mmkv.default.crc"],
      "no lock and no temporary file beside the files")
  }

  @Test
  func `values that MMKV rewrites at the same time are never mixed`() async throws {
    let contents = (0..<2).map { number in
      var content = MMKVContent()
      for key in ["a", "b"] { content.set(key, MMKVContent.string(String(repeating: "\(number)", count: 500))) }
      return (content.file, content.header)
    }
    try contents[0].0.write(to: file)
    try contents[0].1.write(to: header)
    let descriptors = [open(file.path, O_WRONLY | O_CLOEXEC), open(header.path, O_WRONLY | O_CLOEXEC)]
    defer { descriptors.forEach { close($0) } }
    let isOver = Guarded(false)
    let suites = try (0..<50).map { try fixture.suite("\($0).json") }
    let file = file
    try await onThread {
      withThreads(2) { thread in
        if thread == 0 {
          var round = 0
          while !isOver.withLock({ $0 }) {
            round += 1
            for (descriptor, bytes) in zip(descriptors, [contents[round % 2].0, contents[round % 2].1]) {
              _ = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
            }
          }
        } else {
          defer { isOver.withLock { $0 = true } }
          for suite in suites {
            do {
              _ = try suite.adopt(fromMMKV: file, keys: ["a": String.self, "b": String.self])
              let values = try (suite.value(forKey: "a", as: String.self), suite.value(forKey: "b", as: String.self))
              #expect(values.0 != nil && values.0 == values.1)
            } catch MMKVFileError.damaged {
              // The writer was too fast for the whole time.
            } catch {
              Issue.record(error)
            }
          }
        }
      }
    }
  }
}
