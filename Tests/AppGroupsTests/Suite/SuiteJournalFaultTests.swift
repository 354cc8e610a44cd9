import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@testable import AppGroups

@Suite("A suite with a journal, after crashes and on all kinds of disks", .patient, .eachKernel)
struct SuiteJournalFaultTests: JournaledSuiteTests {
  let fixture: Fixture
  let suite: AppGroupsSuite

  init() throws {
    fixture = try Fixture()
    suite = try fixture.suite()
  }

  // MARK: Crashes and damage

  @Test
  func `the journal of a process that was killed is read, and brought into the file by another`() async throws {
    let peer = try await fixture.suitePeer()
    try await peer.send("suite-fill k 10")
    try await peer.kill()
    #expect(try suite.read().keys.count == 10)
    try await suite.firstValue { $0.keys.count == 10 }
    try await untilSettled()
    #expect(try fixture.text(of: suite.url).contains("k9"))
  }

  @Test
  func `the beginning of a record is ignored, and removed by the next writer`() async throws {
    try fill("b")
    let mark = try #require(suite.engine.snapshot().mark)
    let name = ExactString("c")
    let payload = SuiteOverlay.record(of: [name: SuiteEntry(name, text: Data("1".utf8))])
    var record = Data(count: LogRecord.size(of: payload))
    record.withUnsafeMutableBytes {
      LogRecord.write(payload, sequence: mark.sequence + 1, time: 0, salt: mark.journal.header.salt, to: $0)
    }
    let handle = try FileHandle(forWritingTo: journal)
    try handle.seekToEnd()
    try handle.write(contentsOf: record.dropLast(3))
    try handle.close()
    #expect(try fixture.suite().keys == ["a", "b"])
    try append(1, forKey: "c")
    #expect(try fixture.suite().keys == ["a", "b", "c"])
    let size = try #require(try FileStatus(path: journal.path)?.size)
    #expect(size - mark.end == record.count)
    try await suite.synchronize()
    #expect(try fixture.suite().keys == ["a", "b", "c"])
  }

  @Test
  func `damage costs one record, and is reported`() async throws {
    try fill("b", "c", "d")
    let size = (try Data(contentsOf: journal).count - JournalHeader.size) / 3
    var bytes = try Data(contentsOf: journal)
    bytes[JournalHeader.size + size + LogRecord.headerSize + 6] ^= 1
    try bytes.write(to: journal)
    let other = try fixture.suite()
    #expect(other.keys == ["a", "b", "d"])
    let failures = other.failures.recorded()
    try await other.set(1, forKey: "e")
    try await other.synchronize()
    #expect(try fixture.suite().keys == ["a", "b", "d", "e"])
    #expect(!hasJournal)
    for case .damagedJournal(let url, _) in failures.elements { #expect(url == suite.url) }
  }

  @Test
  func `after a change that a power failure has left out, no later one counts, and none comes back`() async throws {
    try fill("b", "c", "d")
    let whole = try Data(contentsOf: journal)
    let size = (whole.count - JournalHeader.size) / 3
    let hole = JournalHeader.size + size..<JournalHeader.size + 2 * size
    try (whole[..<hole.lowerBound] + Data(count: size) + whole[hole.upperBound...]).write(to: journal)
    let other = try fixture.suite()
    let failures = other.failures.recorded()
    #expect(other.keys == ["a", "b"])
    #expect(try other.read().keys == ["a", "b"])
    // A record of the same size in the place of the hole would be followed by that of `d` again.
    other.engine.memory.withLock { $0.lastChange = .now + .seconds(3_600) }
    try await other.set(1, forKey: "x")
    for suite in [other, try fixture.suite()] { #expect(suite.keys == ["a", "b", "x"]) }
    #expect(failures.elements.isEmpty)
  }

  @Test
  func `a journal that was never written beyond its beginning is removed`() async throws {
    try fill("b")
    let whole = try Data(contentsOf: journal)
    try (whole[..<JournalHeader.size] + Data(count: 999)).write(to: journal)
    let other = try fixture.suite()
    #expect(other.keys == ["a"])
    while hasJournal { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try fixture.suite().keys == ["a"])
  }

  @Test
  func `a change that does not fit on the disk changes nothing, and later ones succeed`() async throws {
    let peer = try await fixture.suitePeer()
    try await peer.send("suite-set large \(String(repeating: "x", count: 20_000))")
    try await peer.send("suite-synchronize")
    // A change of a large file is appended.
    try await peer.send("suite-set other short")
    try await peer.send("limit 25000")
    let long = String(repeating: "y", count: 30_000)
    await #expect(throws: PeerProcess.Failure.self) { try await peer.send("suite-set other \(long)") }
    #expect(try await peer.send("suite-get other") == "short")
    #expect(try suite.read().value(forKey: "other", as: String.self) == "short")
    try await peer.send("suite-set small text")
    try await peer.send("limit 0")
    try await peer.send("suite-set other \(long)")
    try await suite.firstValue { (try? $0.value(forKey: "other", as: String.self)) == long }
    #expect(suite.keys == ["large", "other", "small"])
  }

  @Test
  func `a suspended container has all changes in its files`() async throws {
    try fill("b")
    try await fixture.container.suspend()
    #expect(!hasJournal)
    #expect(try fixture.text(of: suite.url).contains("\"b\""))
    try await fixture.container.resume()
    try await suite.set(1, forKey: "c")
    #expect(suite.keys == ["a", "b", "c"])
  }

  @Test
  func `a scope has all changes in the files that it switches`() async throws {
    let scope = Scope(root: fixture.directory.url.appending(path: "root"))
    let suite = try AppGroupsSuite(name: "suite.json", scope: scope, options: .init(durability: .process))
    for number in 0..<5 {
      suite.engine.memory.withLock { $0.lastChange = .now + .seconds(3_600) }
      suite.engine.settling.withLock { $0.waits = [true, false] }
      try await suite.set(number, forKey: "number")
    }
    let url = suite.url
    let journal = url.deletingLastPathComponent().appending(path: ".shared/journals/suite.json")
    try scope.switchContents {
      #expect(!FileManager.default.fileExists(atPath: journal.path))
      #expect(try String(contentsOf: url, encoding: .utf8) == "{\n  \"number\" : 4\n}\n")
      try FileManager.default.removeItem(at: url)
    }
    #expect(suite.keys.isEmpty)
    try await suite.set(1, forKey: "other")
    #expect(try suite.read().keys == ["other"])
  }

  // MARK: Places

  @Test
  func `where changes must be polled, each one replaces the file, and those of others are found in the journal`()
    async throws
  {
    let polled = try AppGroupsSuite(
      name: "suite.json", container: fixture.container,
      options: .init(durability: .process, polling: .always(every: .milliseconds(10))))
    try fill("b")
    try await polled.firstValue { $0.keys == ["a", "b"] }
    try append(2, forKey: "b")
    try await polled.firstValue { (try? $0.value(forKey: "b", as: Int.self)) == 2 }
    polled.engine.memory.withLock { $0.lastChange = .now + .seconds(3_600) }
    try await polled.set(1, forKey: "c")
    #expect(!hasJournal)
    #expect(try fixture.text(of: suite.url).contains("\"c\""))
    try await suite.firstValue { $0.keys == ["a", "b", "c"] }
  }

  @Test
  func `a failure to bring the file up to date is reported once, and another attempt succeeds`() async throws {
    let peer = try await fixture.suitePeer("large.json")
    try await peer.send("suite-failures")
    try await peer.send("suite-set large \(String(repeating: "x", count: 20_000))")
    try await peer.send("suite-synchronize")
    try await peer.send("limit 10000")
    try await peer.send("suite-set small text")
    try await peer.events.first("the failure") { $0.hasPrefix("failure") && $0.contains("large.json") }
    let journal = fixture.files.appending(path: ".shared/journals/large.json")
    #expect(FileManager.default.fileExists(atPath: journal.path))
    try await peer.send("limit 0")
    while FileManager.default.fileExists(atPath: journal.path) { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try fixture.text(of: fixture.url("large.json")).contains("small"))
    #expect(peer.events.elements.filter { $0.hasPrefix("failure") }.count == 1)
  }

  #if os(Linux)
    @Test(.asRoot)
    func `another user reads the journal as far as the permissions allow, and does not change it`() async throws {
      try fill("b")
      try await shell(#"chmod -R go+rX "$1""#, fixture.directory.url.path)
      let peer = try PeerProcess()
      try await peer.send("user 65534")
      try await peer.send("suite \(fixture.path) suite.json")
      try await peer.send("suite-failures")
      try await peer.send("suite-observe c")
      #expect(try await peer.send("suite-keys") == "2")
      try append("text", forKey: "c")
      try await peer.events.first("the change") { $0 == "c text" }
      await #expect(throws: PeerProcess.Failure.self) { try await peer.send("suite-set d no") }
      // Without the journal, the file counts alone.
      #expect(chmod(fixture.files.appending(path: ".shared").path, 0o700) == 0)
      let other = try PeerProcess()
      try await other.send("user 65534")
      try await other.send("suite \(fixture.path) suite.json")
      #expect(try await other.send("suite-keys") == "1")
      try await other.send("suite-observe c")
      try await untilSettled()
      try await other.events.first("the change") { $0 == "c text" }
      #expect(peer.events.elements.filter { $0.hasPrefix("failure") } == [])
    }

    @Test(.asRoot)
    func `a journal that an overlay copies up is followed by processes that had it open`() async throws {
      try fill("b")
      try await withDisk(
        #"""
        mount -t tmpfs tmpfs "$1"; mkdir -p "$1/lower" "$1/upper" "$1/work" "$1/merged"
        cp -a "\#(fixture.path)/." "$1/lower"
        mount -t overlay overlay -o "lowerdir=$1/lower,upperdir=$1/upper,workdir=$1/work" "$1/merged"
        """#
      ) { disk in
        let reader = try AppGroupsSuite(
          name: "suite.json", container: AppGroupsContainer(directory: disk.appending(path: "merged")))
        reader.engine.settling.withLock { $0.waits = [true, false] }
        #expect(reader.keys == ["a", "b"])
        let peer = try PeerProcess()
        try await peer.send("suite \(disk.path)/merged suite.json")
        try await peer.send("suite-fill c 9")
        try await reader.firstValue { $0.keys.count == 11 }
        try await peer.send("suite-observe last")
        for number in 0..<9 { try await reader.set("text \(number)", forKey: "last") }
        try await peer.events.first("the last change") { $0 == "last text 8" }
        #expect(try await peer.send("suite-keys") == "12")
        try await shell(#"umount -l "$1/merged""#, disk.path)
      }
    }

    @Test(.asRoot)
    func `on a full disk a change fails as a whole, and on a read-only one the journal is read`() async throws {
      try await withDisk(#"mount -t tmpfs -o size=256k tmpfs "$1""#) { disk in
        let suite = try AppGroupsSuite(
          name: "suite.json", container: AppGroupsContainer(directory: disk), options: .init(durability: .process))
        func append(_ value: String, forKey key: String) throws {
          suite.engine.settling.withLock { $0.waits = [true, false] }
          suite.engine.memory.withLock { $0.lastChange = .now + .seconds(3_600) }
          try suite.set(value, forKey: key)
        }
        try append("first", forKey: "a")
        try await shell(#"dd if=/dev/zero of="$1/filler" bs=4k 2> /dev/null || true"#, disk.path)
        var count = 0
        do {
          while count < 1_000 {
            try append("\(count) \(String(repeating: "x", count: 500))", forKey: "b")
            count += 1
          }
        } catch {
          #expect(error as? AppGroupsFileError == .inaccessible(.diskFull(suite.url)))
        }
        #expect(count < 1_000)
        let last = try suite.value(forKey: "b", as: String.self)
        #expect(last.map { $0.hasPrefix("\(count - 1) ") } ?? (count == 0))
        #expect(try suite.read().value(forKey: "b", as: String.self) == last)
        try await shell(#"rm "$1/filler""#, disk.path)
        try append("again", forKey: "c")
        try await suite.synchronize()
        let peer = try PeerProcess()
        try await peer.send("suite \(disk.path) suite.json")
        try await peer.send("suite-fill k 3")
        try await peer.kill()
        try await remount(disk, readOnly: true)
        let reader = try AppGroupsSuite(name: "suite.json", container: AppGroupsContainer(directory: disk))
        #expect(reader.keys == ["a", "b", "c", "k0", "k1", "k2"])
        await #expect(throws: AppGroupsFileError.inaccessible(.readOnlyFileSystem(suite.url))) {
          try await reader.set(1, forKey: "d")
        }
      }
    }
  #endif
}
