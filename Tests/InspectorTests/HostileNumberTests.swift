@testable import AppGroups
import Foundation
@testable import Inspector
import Signals
import Stores
import TestSupport
import Testing

/// Numbers that only other programs write, and that neither end the inspector nor make its snapshot unreadable.
@Suite("Hostile numbers") struct HostileNumberTests {
  private static func json(_ snapshot: InspectorSnapshot) throws -> String {
    String(decoding: try InspectorJSON.encode(snapshot), as: UTF8.self)
  }

  private func database(_ directory: InspectedDirectory) throws -> InspectedDatabase {
    let snapshot = try Inspector(directory: directory.url).value
    _ = try Self.json(snapshot)
    guard case .database(let details)? = snapshot["database/x.sqlite"]?.typedDetails else { throw CommandFailure() }
    return details
  }

  @Test func `positions at both ends of the numbers are the largest lag`() throws {
    let directory = try InspectedDirectory()
    _ = try Database(.memory)
    try RawDatabase(directory.file("x.sqlite")).run(
      """
      CREATE TABLE signals_history (sequence INTEGER PRIMARY KEY, author TEXT, time INTEGER, changes BLOB);
      INSERT INTO signals_history VALUES (9223372036854775807, 'a', 9223372036854775807, x'');
      CREATE TABLE signals_peer (author TEXT PRIMARY KEY, cursor INTEGER, seen INTEGER);
      INSERT INTO signals_peer VALUES ('a', -9223372036854775808, 0), ('b', 9223372036854775807, 0);
      """)
    #expect(try database(directory).authors?.map(\.lag) == [.max, 0])
  }

  @Test func `progress that no job reports is shown between 0 and 1`() throws {
    let directory = try InspectedDirectory()
    let url = directory.file("x.sqlite")
    let own = try Database(.file(url))
    let queue = WorkQueue<String>("q", in: own)
    for job in ["a", "b", "c"] { try queue.add(job) }
    let jobs = try queue.claim(upTo: 3)
    let raw = try RawDatabase(url)
    for (job, progress) in zip(jobs, ["9e999", "-9e999", "0.5"]) {
      try raw.run("UPDATE signals_job SET progress = \(progress) WHERE id = \(job.id)")
    }
    let shown = try #require(try database(directory).queues?.first?.jobs)
    #expect(shown.sorted { $0.id < $1.id }.map(\.progress) == [1, 0, 0.5])
    try own.close()
  }

  @Test func `infinity in a row is shown as a text`() async throws {
    let directory = try InspectedDirectory()
    _ = try Database(.memory)
    try RawDatabase(directory.file("x.sqlite")).run(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, x REAL); INSERT INTO t VALUES (1, 9e999), (2, -9e999), (3, 0.5)")
    let rows = try await Inspector(directory: directory.url).rows(of: "t", in: "database/x.sqlite")
    #expect(rows.rows.map { $0[1] } == ["inf", "-inf", 0.5])
    _ = try InspectorJSON.encode(rows)
  }

  @Test(arguments: [
    InspectedValue.number(.infinity), .number(.nan), .longNumber("1e"), .longNumber("7]"),
    .longNumber(#"1, "admin": true"#),
  ])
  func `a number that JSON does not have is not stored`(number: InspectedValue) async throws {
    let directory = try InspectedDirectory()
    let file = try AppGroupsFile(name: "size.json", initialValue: ["width": 1.5], container: directory.container)
    let inspector = try Inspector(directory: directory.url, isWritable: true)
    let refusal = try await inspector.refusal(of: inspector.request("file/size.json", "/width", number))
    #expect("\(refusal)".contains("not JSON"))
    #expect(try file.read() == ["width": 1.5])
  }

  // MARK: Logs

  /// Writes segments whose last event has the largest number of all.
  private func fill(_ log: URL, producers: Int) throws -> [UUID] {
    let ids = (0..<producers).map { _ in UUID() }
    for id in ids {
      for (index, first) in [(UInt64(1), UInt64(1)), (2, LogPosition.limit - 1)] {
        let segment = SegmentID(producer: id, index: index)
        let header = SegmentHeader(id: segment, firstSequence: first, time: 1_000_000_000)
        try Data(header.bytes).write(to: log.appending(path: segment.fileName))
      }
    }
    return ids
  }

  @Test func `sums of events beyond the largest number are that number`() throws {
    let directory = try InspectedDirectory()
    _ = try AppGroupsLog<String>(name: "inbox", container: directory.container)
    let log = directory.file("Logs/inbox")
    let ids = try fill(log, producers: 3)
    let position = #"{"segment":2,"offset":48,"sequence":\#(LogPosition.limit - 2),"isBroken":false}"#
    let positions = ids.map { #""\#($0.uuidString)":\#(position)"# }
    try FileManager.default.createDirectory(
      at: log.appending(path: ".consumers"), withIntermediateDirectories: true)
    for (name, positions) in [("done", positions.joined(separator: ",")), ("new", "")] {
      try Data(#"{"positions":{\#(positions)}}"#.utf8).write(to: log.appending(path: ".consumers/\(name).cursor"))
    }
    let snapshot = try Inspector(directory: directory.url).value
    guard case .log(let details)? = snapshot["log/inbox"]?.typedDetails else { throw CommandFailure() }
    #expect(details.end == "\(UInt64.max)" && details.events == "\(UInt64.max)")
    #expect(snapshot.consumer("new", of: "log/inbox")?.lag == .max)
    #expect(snapshot.consumer("done", of: "log/inbox")?.lag == 0)
    #expect(snapshot.consumer("done", of: "log/inbox")?.cursor == "\(UInt64.max)")
    _ = try Self.json(snapshot)
  }

  @Test func `changes beyond the largest number are counted as that number`() {
    var counter = RateCounter()
    let now = ContinuousClock.now
    for _ in 0..<3 { counter.add(.max, at: now) }
    #expect(counter.rate(at: now)?.perSecond == Double(Int.max))
  }
}
