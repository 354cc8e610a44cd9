@testable import AppGroups
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

/// Each test runs in a separate process.
///
/// No event reports the changes made while no descriptor was left.
@Suite("Hazards of exhausted descriptors", .patient)
struct DescriptorHazardTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  @Test
  func `a shared file receives a value written while no descriptor was left`() async {
    await withoutDescriptors {
      await #expect(processExitsWith: .success) { [path = fixture.path as String] in try await followFile(path) }
    }
  }

  @Test
  func `a presence reports processes that arrived while no descriptor was left`() async {
    await withoutDescriptors {
      await #expect(processExitsWith: .success) { [path = fixture.path as String] in try await followPresence(path) }
    }
  }

  @Test(arguments: [0, 1])
  func `a log's consumer receives events appended while no descriptor was left`(spare: Int) async {
    await withoutDescriptors {
      await #expect(processExitsWith: .success) { [path = fixture.path as String, spare = spare as Int] in
        try await followLog(path, spare: spare)
      }
    }
  }
}

private func container(_ path: String) throws -> AppGroupsContainer {
  try AppGroupsContainer(directory: URL(filePath: path, directoryHint: .isDirectory))
}

private func followFile(_ path: String) async throws {
  // This write takes no lock, which would stay open for a moment and free descriptors later.
  try Data("1".utf8).write(to: URL(filePath: "\(path)/counter.json"))
  let file = try AppGroupsFile(url: URL(filePath: "\(path)/counter.json"), initialValue: 0)
  let failures = file.failures.recorded()
  try Data("2".utf8).write(to: URL(filePath: "\(path)/next"))
  let taken = takeDescriptors()
  #expect(rename("\(path)/next", file.url.path) == 0)
  try await failures.first("the failure") { $0 == .inaccessible(.descriptorLimitReached(file.url)) }
  for descriptor in taken { close(descriptor) }
  try await file.firstValue { $0 == 2 }
  #expect(file.status.value == .current)
}

private func followPresence(_ path: String) async throws {
  let presence = try AppGroupsPresence<String>(name: "recording", container: container(path))
  let failures = presence.failures.recorded()
  let directory = "\(path)/Presence/recording"
  try Data("{}".utf8).write(to: URL(filePath: "\(path)/next"))
  let holder = open("\(path)/next", O_RDONLY | O_CLOEXEC)
  #expect(flock(holder, LOCK_EX | LOCK_NB) == 0)
  let taken = takeDescriptors()
  #expect(rename("\(path)/next", "\(directory)/\(UUID().uuidString)") == 0)
  try await failures.first("the failure") {
    if case .inaccessible(.descriptorLimitReached) = $0 { true } else { false }
  }
  for descriptor in taken { close(descriptor) }
  try await presence.isAnyonePresent.firstValue { $0 }
  close(holder)
}

private func followLog(_ path: String, spare: Int) async throws {
  let log = try AppGroupsLog<String>(name: "log", container: container(path))
  let place = try LogPlace(name: "log", container: container(path))
  // This saves or trims nothing, which would free descriptors at its end.
  let recorder = LogRecorder(try log.newEvents())
  try log.append("ours")
  try await recorder.wait(for: 1)
  let segments = try ["one", "two"].map { text in
    let id = SegmentID(producer: UUID(), index: 1)
    try Data(segment(id, holding: text)).write(to: URL(filePath: "\(path)/\(id.fileName)"))
    return id
  }
  let taken = takeDescriptors(besides: spare)
  // Both appear at once. With one spare descriptor, they can be listed, but not both opened.
  WatchHub.shared.stall {
    for id in segments { #expect(rename("\(path)/\(id.fileName)", place.url(of: id).path) == 0) }
  }
  try await recorder.firstFailure { failure in
    guard case .inaccessible(.descriptorLimitReached(let url)) = failure else { return false }
    return url == place.url || segments.contains { url == place.url(of: $0) }
  }
  for descriptor in taken { close(descriptor) }
  #expect(try await Set(recorder.wait(for: 3)) == ["ours", "one", "two"])
}

/// The bytes of a segment with one event.
private func segment(_ id: SegmentID, holding text: String) -> [UInt8] {
  let payload = Data("\"\(text)\"".utf8)
  let header = SegmentHeader(id: id, firstSequence: 1, time: 0)
  var record = [UInt8](repeating: 0, count: LogRecord.size(of: payload))
  record.withUnsafeMutableBytes { LogRecord.write(payload, sequence: 1, time: 1, salt: header.salt, to: $0) }
  return header.bytes + record
}
