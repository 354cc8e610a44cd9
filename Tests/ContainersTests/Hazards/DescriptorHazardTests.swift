import Containers
import Foundation
import Signals
import TestSupport
import Testing

/// Each test runs in a separate process.
///
/// No event reports that there are descriptors again.
@Suite("Hazards of exhausted descriptors in environments", .patient)
struct DescriptorHazardTests {
  /// With few descriptors, the state can be read, but not the record.
  @Test(arguments: 0..<6)
  func `a name that another process changed while few descriptors were left arrives`(spare: Int) async throws {
    let fixture = try Fixture()
    await withoutDescriptors {
      await #expect(processExitsWith: .success) { [root = fixture.root.path as String, spare = spare as Int] in
        try await followName(root, spare: spare)
      }
    }
  }
}

private func followName(_ root: String, spare: Int) async throws {
  let app = try AppContainer(home: URL(filePath: root, directoryHint: .isDirectory))
  let work = try app.create(name: "Work")
  let peer = try PeerProcess()
  try await peer.send("env \(root)")
  let failures = app.failures.recorded()
  let environments = app.environments.recorded()
  let taken = takeDescriptors(besides: spare)
  try await peer.send("env-rename \(work.id) Other")
  while failures.elements.isEmpty, environments.elements.count == 1 { await Task.yield() }
  for descriptor in taken { close(descriptor) }
  try await app.environments.firstValue("no name") { $0.contains { $0.name == "Other" && $0.problem == nil } }
}
