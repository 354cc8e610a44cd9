@testable import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

/// A log for one test.
struct LogFixture: Sendable {
  let fixture: Fixture
  private let remover: Remover

  init() throws {
    self.init(try Fixture())
  }

  init(_ fixture: Fixture) {
    self.fixture = fixture
    remover = Remover(fixture.directory.url)
  }

  /// Removes the directory at the end.
  ///
  /// The removal is retried, because a consumer may be saving its cursor at that moment.
  private final class Remover: Sendable {
    private let url: URL

    init(_ url: URL) {
      self.url = url
    }

    deinit {
      for _ in 0..<1000 where FileManager.default.fileExists(atPath: url.path) {
        do { try FileManager.default.removeItem(at: url) } catch { usleep(2000) }
      }
    }
  }

  var directory: URL { fixture.container.containerURL.appending(path: "Logs/log", directoryHint: .isDirectory) }

  func log(_ limits: LogLimits = LogLimits()) throws -> AppGroupsLog<String> {
    try AppGroupsLog(name: "log", container: fixture.container, limits: limits)
  }

  /// Starts a process that opens the log.
  func peer() async throws -> PeerProcess {
    let peer = try PeerProcess()
    try await peer.send("log \(fixture.path) log")
    return peer
  }

  /// Waits until a consumer that has ended has saved its cursor, which happens on its own queue.
  func settle(_ consumer: String = "widget") async throws {
    let place = try ConsumerPlace(name: consumer, place: LogPlace(name: "log", container: fixture.container))
    for _ in 0..<6000 {
      if try place.lock() != nil { return }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Makes a consumer look as if it had not been seen for two hours.
  ///
  /// - Parameters:
  ///   - consumer: The consumer.
  ///   - isCertain: A Boolean value that indicates whether its cursor is from an earlier start of the system, so that the
  ///     clock cannot just have been set.
  /// - Throws: An error of the file system.
  func makeAbsent(_ consumer: String, isCertain: Bool = true) throws {
    let cursor = directory.appending(path: ".consumers/\(consumer).cursor")
    if isCertain {
      var content = try #require(JSONSerialization.jsonObject(with: Data(contentsOf: cursor)) as? [String: Any])
      content["moment"] = "1 an-earlier-start"
      try JSONSerialization.data(withJSONObject: content).write(to: cursor)
    }
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: cursor.path)
  }

  /// The segments in the order of their names.
  func segments() throws -> [URL] {
    try fixture.contents(of: directory).filter { $0.hasSuffix(".segment") }.map { directory.appending(path: $0) }
  }
}

/// The events that a consumer received, and its failures.
struct LogRecorder {
  let events: LogEvents<String>
  let entries: Recorder<LogEntry<String>>
  let failures: Recorder<AppGroupsLogError>

  init(_ events: LogEvents<String>) {
    self.events = events
    failures = events.failures.recorded()
    entries = events.recorded()
  }

  var texts: [String] { entries.elements.map(\.event) }

  /// Waits for a number of events.
  @discardableResult
  func wait(for count: Int) async throws -> [String] {
    try await entries.wait(for: "\(count) events") { $0.count >= count }.map(\.event)
  }

  /// Saves the position after all events that were received.
  ///
  /// An event is recorded before its subscriber has returned, and handled afterwards.
  func saveProgress() async throws {
    events.feed.queue.sync {}
    try await events.saveProgress()
  }

  func firstFailure(where isWanted: @escaping @Sendable (AppGroupsLogError) -> Bool) async throws {
    try await failures.first("a failure", where: isWanted)
  }
}

/// One line of a peer's report about a log.
struct ReportedEntry: Hashable {
  let producer: String
  let sequence: Int
  let text: String

  init?(_ line: String) {
    let words = line.split(separator: " ", maxSplits: 4).map(String.init)
    guard words.count == 5, words[0] == "entry", let sequence = Int(words[3]) else { return nil }
    (producer, self.sequence, text) = (words[2], sequence, words[4])
  }

  /// Creates an entry from a line of a file of effects, which has no time.
  init?(effect line: Substring) {
    self.init("entry 0 " + line)
  }
}

/// Returns the errors in the order of each producer's events, which are numbered from 1 without a gap.
///
/// If `isRepeating` is `true`, an event may occur again, followed by its successors.
func faults(in ids: [(producer: String, sequence: Int)], isRepeating: Bool = false) -> [String] {
  var last: [String: Int] = [:]
  var faults: [String] = []
  for (producer, sequence) in ids {
    let expected = (last[producer] ?? 0) + 1
    if sequence != expected, !(isRepeating && sequence < expected) {
      faults.append("\(producer): \(sequence) came where \(expected) was due")
    }
    last[producer] = sequence
  }
  return faults
}
