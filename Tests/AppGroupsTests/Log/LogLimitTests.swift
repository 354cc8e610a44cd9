import AppGroups
import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@Suite("Log: limits of the system", .patient, .eachKernel)
struct LogLimitTests {
  #if os(Linux)
    @Test(.asRoot)
    func `a full disk is reported, tears no event, and loses none that was reported as appended`() async throws {
      try await withDisk("mount -t tmpfs -o size=256k tmpfs \"$1\"") { disk in
        let container = try AppGroupsContainer(directory: disk)
        let log = try AppGroupsLog<String>(name: "log", container: container)
        let filler = disk.appending(path: "filler")
        let text = String(repeating: "x", count: 10_000)
        var appended: [LogEventID] = []
        func appendUntilFull() throws {
          do {
            for _ in 0..<1000 { appended.append(try log.append(text)) }
            Issue.record("The disk is never full")
          } catch AppGroupsLogError.inaccessible(.diskFull) {
            // An event that does not fit is rolled back, so a smaller one may still fit.
          }
        }
        try Data(count: 100_000).write(to: filler)
        try appendUntilFull()
        #expect(appended.count > 5)
        let recorder = LogRecorder(try log.newEvents())
        try FileManager.default.removeItem(at: filler)
        try appendUntilFull()
        let oldest = LogRecorder(try log.events(for: "widget"))
        try await oldest.wait(for: appended.count)
        #expect(oldest.entries.elements.map(\.sequence) == appended.map(\.sequence))
        #expect(oldest.texts.allSatisfy { $0 == text })
        let last = appended.last?.sequence
        try await recorder.entries.first("the last event") { $0.sequence == last }
        #expect(oldest.failures.elements.allSatisfy(isAboutDisk))
      }
    }

    /// A full disk also prevents the consumer from saving its cursor, which it reports.
    private func isAboutDisk(_ error: AppGroupsLogError) -> Bool {
      if case .inaccessible(.diskFull) = error { true } else { false }
    }
  #endif

  @Test
  func `exceeding a file size limit throws instead of ending the process, until the limit is lifted`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log()
    let recorder = LogRecorder(try log.events(for: "widget"))
    let peer = try await fixture.peer()
    try await peer.send("append before")
    try await peer.send("limit 4096")
    let refusal = await #expect(throws: PeerProcess.Failure.self) {
      try await peer.send("append \(String(repeating: "x", count: 8000))")
    }
    #expect("\(try #require(refusal))".contains("exceeds the file size limit"))
    try await peer.send("append within")
    try await peer.send("limit 0")
    try await peer.send("append after")
    #expect(try await recorder.wait(for: 3) == ["before", "within", "after"])
  }
}
