@testable import AppGroups
import FileSignals
import Foundation
import KqueueModel
import Signals
import Synchronization
import Testing
import TestSupport

/// Files of a root whose contents another process switched before the event arrived.
@Suite("A file whose container was switched unnoticed", .patient, .eachKernel)
struct ScopedFileTests {
  private let directory: TemporaryDirectory
  private let hasSwitched = Flag()
  private let file: AppGroupsFile<Int>

  private final class Flag: Sendable {
    let isSet = Atomic(true)
  }

  init() throws {
    directory = try TemporaryDirectory()
    let scope = Scope(
      root: directory.url,
      whileSteady: { try $0() },
      hasSwitched: { [hasSwitched] in hasSwitched.isSet.load(ordering: .relaxed) },
      catchUp: {}
    )
    file = try AppGroupsFile(name: "number.json", initialValue: 1, scope: scope)
    try file.write(5)
  }

  @Test func `an update copies nothing from other contents if the new contents have no file`() async throws {
    hasSwitched.isSet.store(false, ordering: .relaxed)
    try FileManager.default.removeItem(at: file.url)
    try await file.update { $0 += 1 }
    #expect(try file.read() == 2)
    // The value appears together with the new contents.
    _ = try await file.property.firstValue("the new value") { $0 == 2 }
  }

  @Test func `an update over a damaged file copies nothing from other contents`() throws {
    hasSwitched.isSet.store(false, ordering: .relaxed)
    try Data("{".utf8).write(to: file.url)
    try file.update(overwriting: true) { $0 += 1 }
    #expect(try file.read() == 2)
  }

  @Test(arguments: ["", "{"])
  func `bad content with a pending retry is not forgotten during a pause`(text: String) async throws {
    let scope = Scope(root: directory.url)
    let engine = try SharedFileEngine(
      location: SharedFileLocation(name: "text", scope: scope), initialValue: "good", format: format(text.isEmpty),
      durability: .process, maximumSize: .max, polling: .automatic, isCreating: true, scope: scope)
    let (values, failures) = (engine.value.recorded(), engine.failures.recorded())
    try await onThread {
      try engine.queue.sync {
        try Data(text.utf8).write(to: engine.location.url)
        engine.lookNow()
        _ = try engine.holdForSwitch(within: nil)
      }
      // The retry comes first.
      let isOver = DispatchSemaphore(value: 0)
      engine.queue.asyncAfter(deadline: .now() + .milliseconds(20)) { isOver.signal() }
      isOver.wait()
      engine.prepareSwitch(.unchanged)
      engine.publishSwitch(.unchanged, into: ScopeChanges())
    }
    if text.isEmpty {
      try await values.wait(for: "")
    } else {
      _ = try await failures.first("a failure") { if case .undecodable = $0 { true } else { false } }
    }
  }

  /// A format in which empty content is a value, or one in which it is not.
  private func format(_ takesNothing: Bool) -> FileFormat<String> { takesNothing ? .text : .json }

  @Test func `an update continues from the last good value if the file was removed without a switch`() throws {
    try FileManager.default.removeItem(at: file.url)
    try file.update { $0 += 1 }
    #expect(try file.read() == 6)
  }
}
