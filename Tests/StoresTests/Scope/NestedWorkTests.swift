import AppGroups
import Dispatch
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

/// Work inside one member of a scope that needs another member, while a switch already holds that other one.
@Suite("Work that needs two members of a directory that is switched", .patient)
struct NestedWorkTests {
  /// A member that reports when the members enrolled before it are held.
  private final class Probe: ScopeMember {
    let hasBegun = DispatchSemaphore(value: 0)

    func holdForSwitch(within patience: Duration?) -> Bool {
      hasBegun.signal()
      return true
    }

    func prepareSwitch(_ outcome: ScopeOutcome) -> PreparedSwitch { PreparedSwitch() }
  }

  private let fixture: ScopeFixture
  private let probe = Probe()

  init() throws {
    fixture = try ScopeFixture()
    try fixture.fill("live", title: "old")
    try fixture.fill("b", title: "new")
  }

  private func file(_ name: String) throws -> AppGroupsFile<Int> {
    try AppGroupsFile(name: name, initialValue: 0, scope: fixture.scope, options: .init(durability: .process))
  }

  /// The number in a file of the contents that were switched away.
  private func number(in name: String) throws -> Int {
    let content = try Data(contentsOf: fixture.directory.url.appending(path: "a/Files/\(name)"))
    return try JSONDecoder().decode(Int.self, from: content)
  }

  /// Runs work inside a member; in the middle, another thread begins to switch, and has the first members.
  private func duringASwitch(_ work: @escaping @Sendable (_ whenHeld: () -> Void) throws -> Void) async throws {
    let begin = DispatchSemaphore(value: 0)
    async let switching: Void = onThread { [fixture] in
      begin.wait()
      try fixture.switchContents(away: "a", in: "b")
    }
    try await onThread { [probe] in
      try work {
        begin.signal()
        probe.hasBegun.wait()
      }
    }
    try await switching
  }

  @Test func `an update of a file may write another file, which the switch already holds`() async throws {
    let inner = try file("inner")
    let enrolment = fixture.scope.enrol(probe)
    let outer = try file("outer")
    try await duringASwitch { whenHeld in
      try outer.update {
        whenHeld()
        try inner.write(7)
        $0 = 8
      }
    }
    #expect(try number(in: "inner") == 7)
    #expect(try number(in: "outer") == 8)
    #expect(inner.value == 0 && outer.value == 0)
    enrolment.cancel()
  }

  @Test func `a transaction may write a file that the switch already holds`() async throws {
    let inner = try file("inner")
    let enrolment = fixture.scope.enrol(probe)
    let database = try fixture.open()
    try await duringASwitch { whenHeld in
      try database.write {
        whenHeld()
        try inner.write(7)
        try $0.put(Errand(id: 1, title: "changed"))
      }
    }
    #expect(try number(in: "inner") == 7)
    #expect(try fixture.title(in: "a") == "changed")
    #expect(try fixture.title(in: "live") == "new")
    enrolment.cancel()
  }

  @Test func `an update of a file may read and write a database that the switch already holds`() async throws {
    let database = try fixture.open()
    let enrolment = fixture.scope.enrol(probe)
    let outer = try file("outer")
    try await duringASwitch { whenHeld in
      try outer.update {
        whenHeld()
        $0 = try database.read { try $0.all(Query<Errand>()) }.count
        try database.write { try $0.put(Errand(id: 1, title: "changed")) }
      }
    }
    #expect(try number(in: "outer") == 1)
    #expect(try fixture.title(in: "a") == "changed")
    enrolment.cancel()
  }

  @Test func `a read of a database may write a file that the switch already holds`() async throws {
    let inner = try file("inner")
    let enrolment = fixture.scope.enrol(probe)
    let database = try fixture.open()
    try await duringASwitch { whenHeld in
      try database.read { _ in
        whenHeld()
        try inner.write(7)
      }
    }
    #expect(try number(in: "inner") == 7)
    enrolment.cancel()
  }

  @Test func `a switch that another process made is followed while work needs two members`() async throws {
    let inner = try file("inner")
    let enrolment = fixture.scope.enrol(probe)
    let outer = try file("outer")
    let begin = DispatchSemaphore(value: 0)
    async let switching: Void = onThread { [fixture] in
      begin.wait()
      fixture.scope.followSwitch()
    }
    try await onThread { [probe] in
      try outer.update {
        begin.signal()
        probe.hasBegun.wait()
        try inner.write(7)
        $0 = 8
      }
    }
    try await switching
    #expect(inner.value == 7 && outer.value == 8)
    enrolment.cancel()
  }

  @Test func `a member that refuses lets the work of all others continue`() throws {
    final class Refusing: ScopeMember {
      struct Refusal: Error {}
      func holdForSwitch(within patience: Duration?) throws -> Bool { throw Refusal() }
      func prepareSwitch(_ outcome: ScopeOutcome) -> PreparedSwitch { PreparedSwitch() }
    }
    let (inner, database) = (try file("inner"), try fixture.open())
    let refusing = Refusing()
    let enrolment = fixture.scope.enrol(refusing)
    #expect(throws: Refusing.Refusal.self) { try fixture.scope.switchContents {} }
    try inner.write(7)
    try database.write { try $0.put(Errand(id: 1, title: "changed")) }
    #expect(inner.value == 7)
    #expect(try fixture.title(in: "live") == "changed")
    enrolment.cancel()
    withExtendedLifetime(refusing) {}
  }
}
