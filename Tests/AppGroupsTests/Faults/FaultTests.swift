import CLibrary
import Foundation
import TestSupport
import Testing

/// Random programs of faults.
///
/// To run one of them again, or many, see ``runRandomPrograms(seconds:repetitions:until:_:)``.
@Suite("Faults: random programs", .serialized, .patient)
struct FaultTests {
  @Test
  func `no random program of faults tears, loses or reverts a value, or leaves an observer behind`() async {
    // In a separate process, because all observers of a process lose the events of a flood.
    await #expect(processExitsWith: .success) {
      try await runRandomPrograms(seconds: 1.5, repetitions: 20, runProgram)
    }
  }
}

/// - Returns: `true` if no promise was broken.
private func runProgram(_ seed: UInt64) async throws -> Bool {
  let directory = try TemporaryDirectory()
  let isMounted = seed.isMultiple(of: 3) ? await mount(directory) : false
  var story: [String] = []
  var breaches: [String] = []
  do {
    let world = try await FaultWorld(seed: seed, directory: directory.url, isMounted: isMounted)
    do {
      try await world.run(rounds: 4)
    } catch {
      breaches.append("\(error)")
    }
    story = world.story
    breaches += world.breaches
  } catch {
    breaches.append("\(error)")
  }
  if isMounted { try await shell(#"umount -l "$1""#, directory.url.path) }
  if breaches.isEmpty { return true }
  Issue.record(
    """
    Program \(seed) broke the law. Run it again with: SIGNALS_SEED=\(seed) swift test --filter FaultTests
    \(breaches.prefix(10).joined(separator: "\n"))
    What happened: \(story.joined(separator: ", "))
    """
  )
  return false
}

/// Mounts a small disk where that is permitted.
private func mount(_ directory: TemporaryDirectory) async -> Bool {
  #if os(Linux)
    guard geteuid() == 0 else { return false }
    do {
      try await shell(#"mount -t tmpfs -o size=2m,mode=755 tmpfs "$1""#, directory.url.path)
      return true
    } catch {
      // Some containers give root no right to mount.
      return false
    }
  #else
    return false
  #endif
}
