@testable import AppGroups
import Dispatch
@testable import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

/// Codings and values are code of users, which may use the presence that calls it.
@Suite("A presence that its codings and values use", .patient)
struct PresenceReentryTests {
  private let fixture: Fixture
  private let encoding = NextCall()
  private let decoding = NextCall()

  init() throws {
    fixture = try Fixture()
  }

  private var coding: FileCoding {
    FileCoding(
      encode: { [encoding] value in
        try encoding.make()
        return try JSONEncoder().encode(value)
      },
      decode: { [decoding] type, data in
        try decoding.make()
        return try JSONDecoder().decode(type, from: data)
      })
  }

  private func open() throws -> AppGroupsPresence<String> {
    try AppGroupsPresence(name: "recording", container: fixture.container, coding: coding)
  }

  @Test func `a value that is written while the announcement returns from a suspension stays`() async throws {
    let presence = try open()
    let token = try presence.announce("before")
    try await fixture.container.suspend()
    encoding.set { try token.write("after") }
    try await fixture.container.resume()
    #expect(presence.value.map(\.value) == ["after"])
    let found = try presence.read()
    #expect(found.map(\.value) == ["after"] && found.allSatisfy { !$0.isSuspended })
    try await fixture.container.suspend()
    try await fixture.container.resume()
    #expect(presence.value.map(\.value) == ["after"])
  }

  @Test func `an announcement that could not return from a suspension returns with the next call`() async throws {
    let presence = try open()
    let token = try presence.announce("here")
    let container = fixture.container
    try await container.suspend()
    encoding.set { throw POSIXError(.EIO) }
    await #expect(throws: SuspensionError.self) { try await container.resume() }
    #expect(try presence.read().map(\.isSuspended) == [true])
    try await container.resume()
    #expect(try presence.read().map(\.isSuspended) == [false])
    withExtendedLifetime(token) {}
  }

  @Test func `a coding may use the presence while the directory is read, and the later read counts`() async throws {
    let directory = try PresenceDirectory(name: "recording", container: fixture.container)
    let engine = try PresenceEngine<String>(directory, coding: coding, changes: Emitter<PathChange, Never>())
    let token = try PresenceToken("microphone", in: engine)
    let ends = Recorder<Bool>()
    decoding.set { ends.record(endsElsewhere { try token.write("camera") }) }
    // The record of a dead process, which a read decodes to find out whether the process is suspended.
    try Data("{}".utf8).write(to: directory.place(of: UUID()))
    engine.look()
    try await ends.wait(for: "the end of the call") { !$0.isEmpty }
    #expect(ends.elements == [true])
    #expect(engine.present.value.map(\.value) == ["camera"])
  }

  @Test func `a value may use the presence when it is released`() throws {
    let presence = try AppGroupsPresence<Farewell>(name: "recording", container: fixture.container)
    let call = NextCall()
    let token = try presence.announce(Farewell(call))
    let ends = Recorder<Bool>()
    call.set { ends.record(endsElsewhere { token.withdraw() }) }
    try token.write(Farewell())
    #expect(ends.elements == [true])
    #expect(presence.value.isEmpty)
  }
}

/// Runs a closure on another thread.
///
/// - Returns: `false` if it does not end, because it waits for a lock of this thread.
private func endsElsewhere(_ body: @escaping @Sendable () throws -> Void) -> Bool {
  let end = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    do { try body() } catch { Issue.record(error) }
    end.signal()
  }
  return end.wait(timeout: .now() + patience(30).inSeconds) == .success
}

/// A closure that is called once, when it is due next.
private final class NextCall: Sendable {
  private struct State {
    var body: (@Sendable () throws -> Void)?
  }

  private let state = Guarded(State())

  func set(_ body: @escaping @Sendable () throws -> Void) { state.withLock { $0.body = body } }

  func make() throws {
    let body = state.withLock { $0.body.take() }
    try body?()
  }
}

/// A value that makes a call when it is released.
private final class Farewell: Codable, Sendable {
  private let call: NextCall?

  init(_ call: NextCall? = nil) {
    self.call = call
  }

  init(from decoder: any Decoder) throws { call = nil }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode("farewell")
  }

  deinit {
    do { try call?.make() } catch { Issue.record(error) }
  }
}
