#if os(Linux) && DEBUG
  import AppGroups
  import FileSignals
  import Foundation
  import KqueueModel
  import Signals
  import TestSupport
  import Testing

  /// A directory's event does not name its entry, so nothing shows that a file was there for a moment.
  @Suite("Shared files that exist for a moment", .patient)
  struct MomentaryFileTests {
    @Test
    func `a file that is written and removed before its watcher opens it is missing`() async throws {
      let fixture = try Fixture()
      let model = try KqueueModel()
      let file = try await WatchSource(model).use { try fixture.counter() }
      try FileManager.default.removeItem(at: file.url)
      try await file.status.firstValue("the first removal") { $0 == .missing }
      for round in 1...5 {
        try model.hold {
          try file.write(round)
          #expect(file.status.value == .current)
          try FileManager.default.removeItem(at: file.url)
        }
        try await file.status.firstValue("round \(round)") { $0 == .missing }
      }
    }
  }
#endif
