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
  private let owner = Owner()
  private let file: AppGroupsFile<Int>

  private final class Owner: ScopeOwner {
    private let following = Atomic(true)

    var mark: FileStamp? { nil }
    var hasFollowed: Bool {
      get { following.load(ordering: .relaxed) }
      set { following.store(newValue, ordering: .relaxed) }
    }

    func keepsInPlace(_ path: String) -> Bool { false }
    func steadily<Result>(_ body: () throws -> Result) throws -> Result { try body() }
    func follow() {}
  }

  init() throws {
    directory = try TemporaryDirectory()
    let scope = Scope(root: directory.url)
    scope.setOwner(owner)
    file = try AppGroupsFile(name: "number.json", initialValue: 1, scope: scope)
    try file.write(5)
  }

  @Test func `an update copies nothing from other contents if the new contents have no file`() async throws {
    owner.hasFollowed = false
    try FileManager.default.removeItem(at: file.url)
    try await file.update { $0 += 1 }
    #expect(try file.read() == 2)
    // The value appears together with the new contents.
    _ = try await file.property.firstValue("the new value") { $0 == 2 }
  }

  @Test func `an update over a damaged file copies nothing from other contents`() throws {
    owner.hasFollowed = false
    try Data("{".utf8).write(to: file.url)
    try file.update(overwriting: true) { $0 += 1 }
    #expect(try file.read() == 2)
  }

  @Test(arguments: ["", "{"])
  func `bad content with a pending retry is not forgotten during a pause`(text: String) async throws {
    let scope = Scope(root: directory.url)
    let engine = try SharedFileEngine(
      location: FileLocation(name: "text", scope: scope), initialValue: "good", format: format(text.isEmpty),
      options: .init(maximumSize: .max), isCreating: true, scope: scope)
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
      let prepared = engine.prepareSwitch(.unchanged)
      prepared.publish(into: ScopeChanges())
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
