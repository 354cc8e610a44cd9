#if os(Linux)
  import AppGroups
  import FileSignals
  import Foundation
  import Signals
  import Synchronization
  import Testing

  /// Runs in a separate process without other work.
  @Suite("At rest")
  struct RestTests {
    @Test
    func `a thousand observed files wake no thread`() async throws {
      let fixture = try Fixture()
      await #expect(processExitsWith: .success) { [path = fixture.path as String] in try restWithManyFiles(path) }
    }
  }

  private func restWithManyFiles(_ path: String) throws {
    let container = try AppGroupsContainer(directory: URL(filePath: path, directoryHint: .isDirectory))
    let received = Received()
    var files: [AppGroupsFile<Int>] = []
    var subscriptions: [SignalSubscription] = []
    for index in 0..<1_000 {
      let file = try AppGroupsFile(name: "\(index).json", initialValue: 0, container: container)
      subscriptions.append(file.sink { _ in received.count.wrappingAdd(1, ordering: .relaxed) })
      files.append(file)
    }
    for file in files { try file.write(1) }
    #expect(received.count.load(ordering: .relaxed) == 2_000)
    // Spare threads of the system end after a while, which counts as waking. In one of several intervals, nothing at
    // all must happen; a regular wake-up would spoil all of them.
    for _ in 0..<60 {
      let (wakes, before) = (WatchHub.shared.wakeCount, try switches())
      usleep(300_000)
      let after = try switches()
      if WatchHub.shared.wakeCount == wakes, before == after {
        withExtendedLifetime((files, subscriptions)) {}
        return
      }
    }
    Issue.record("The threads do not rest: \(try switches())")
  }

  /// The number of context switches of each thread except this one.
  private func switches() throws -> [String: Int] {
    var counts: [String: Int] = [:]
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self").split(separator: "/").last
    for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") where thread[...] != own {
      // A thread may end between the two reads.
      let status = FileManager.default.contents(atPath: "/proc/self/task/\(thread)/status") ?? Data()
      counts[thread] = String(decoding: status, as: UTF8.self).split(separator: "\n").reduce(0) { sum, line in
        line.contains("ctxt_switches") ? sum + (Int(line.split(separator: "\t").last ?? "") ?? 0) : sum
      }
    }
    return counts
  }

  private final class Received: Sendable {
    let count = Atomic(0)
  }
#endif
