import AppGroups
import Foundation
import TestSupport
import Testing

@Suite("Versions of an app running concurrently")
struct AppVersionTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  private func app(_ version: Int) async throws -> PeerProcess {
    let app = try PeerProcess()
    try await app.send("app \(version) \(fixture.path)")
    return app
  }

  private var text: String {
    get throws { try fixture.text(of: fixture.url("settings.json")).filter { !$0.isWhitespace } }
  }

  @Test
  func `an update of the app adopts the old version's value, and writes only its own changes`() async throws {
    let oldest = try await app(0)
    try await oldest.send("settings-write dark")
    try await oldest.kill()
    #expect(try text == #"{"isDark":true}"#)

    let newest = try await app(3)
    #expect(try await newest.send("settings") == "3 dark 12")
    #expect(try text == #"{"isDark":true}"#)
    try await newest.send("settings-update sepia")
    #expect(try text == #"{"value":{"size":12,"theme":"sepia"},"version":3}"#)
    #expect(try await newest.send("settings") == "3 sepia 12")
  }

  @Test
  func `an old process that still runs keeps its value, reports the fault, and destroys nothing`() async throws {
    let old = try await app(1)
    try await old.send("settings-write dark")
    try await old.send("settings-observe")
    let new = try await app(2)
    #expect(try await new.send("settings") == "2 dark")
    try await new.send("settings-update sepia")
    try await old.events.first("the typed failure") { $0.contains("has version 2, and this program reads") }
    #expect(try await old.send("settings") == "1 dark")
    #expect(try await old.send("settings-status").contains("has version 2"))
    await #expect(throws: PeerProcess.Failure.self) { try await old.send("settings-update light") }
    #expect(try text == #"{"value":{"theme":"sepia"},"version":2}"#)

    // On request it overwrites the file, and the new version follows by migrating again.
    try await new.send("settings-observe")
    try await old.send("settings-overwrite light")
    try await new.events.wait(for: "the old one's value") { $0.last == "settings 2 light" }
    #expect(try await old.send("settings-status") == "current")
  }

  @Test
  func `two versions that both may write agree on the stored value`() async throws {
    let first = try await app(1)
    let second = try await app(2)
    try await second.send("settings-observe")
    for round in 1...5 {
      try await first.send("settings-overwrite \(round % 2 == 0 ? "dark" : "light")")
      try await second.events.wait(for: "round \(round)") {
        $0.last == "settings 2 \(round % 2 == 0 ? "dark" : "light")"
      }
      try await second.send("settings-update own\(round)")
      #expect(try text == #"{"value":{"theme":"own\#(round)"},"version":2}"#)
    }
  }
}
