import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

@Suite("The container that a program sets once", .patient)
struct ProgramContainerTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  @Test
  func `values that are opened by their name alone are those of the standard container`() async throws {
    let (file, suite, log, presence) = try AppGroupsContainer.withStandard(fixture.container) {
      #expect(try AppGroupsContainer.standard == fixture.container)
      return try (
        AppGroupsFile(name: "counter.json", initialValue: 0), AppGroupsSuite(name: "suite.json"),
        AppGroupsLog<Int>(name: "log"), AppGroupsPresence<String>(name: "presence")
      )
    }
    // They keep the container.
    try await file.update { $0 += 1 }
    #expect(try fixture.counter().value == 1)
    try await suite.set("dark", forKey: "theme")
    #expect(try fixture.suite().value(forKey: "theme", as: String.self) == "dark")
    try log.append(7)
    let sameLog = try AppGroupsLog<Int>(name: "log", container: fixture.container)
    #expect(try sameLog.entries().map { try $0.get().event } == [7])
    let token = try presence.announce("here")
    let other = try AppGroupsPresence<String>(name: "presence", container: fixture.container)
    #expect(try other.read().map(\.value) == ["here"])
    withExtendedLifetime(token) {}
  }

  @Test
  func `without a standard container, opening a value by its name alone is an error that names the remedy`() {
    #expect(throws: AppGroupsError.noStandard) { try AppGroupsContainer.standard }
    let error = #expect(throws: AppGroupsFileError.self) { try AppGroupsFile(name: "counter.json", initialValue: 0) }
    #expect(error == .unusableContainer(.noStandard))
    #expect(error?.description.contains("AppGroupsContainer.setStandard(_:)") == true)
    #expect(throws: AppGroupsFileError.unusableContainer(.noStandard)) { try AppGroupsSuite(name: "suite.json") }
    #expect(throws: AppGroupsLogError.unusableContainer(.noStandard)) { try AppGroupsLog<Int>(name: "log") }
    #expect(throws: AppGroupsFileError.unusableContainer(.noStandard)) { try AppGroupsPresence<Int>(name: "presence") }
  }

  @Test
  func `tests that run at the same time have containers of their own, also in their tasks`() async throws {
    let fixtures = try (0..<8).map { _ in try Fixture() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, fixture) in fixtures.enumerated() {
        group.addTask {
          try await AppGroupsContainer.withStandard(fixture.container) {
            let file = try AppGroupsFile(name: "number.json", initialValue: number)
            #expect(file.value == number)
            try await withThrowingTaskGroup(of: Void.self) { inner in
              for _ in 0..<4 {
                inner.addTask {
                  try await AppGroupsFile(name: "number.json", initialValue: -1).update { $0 += 100 }
                }
              }
              try await inner.waitForAll()
            }
            await Task.yield()
            #expect(try AppGroupsContainer.standard == fixture.container)
            #expect(try file.read() == number + 400)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(throws: AppGroupsError.noStandard) { try AppGroupsContainer.standard }
  }

  @Test
  func `an inner standard container takes the place of an outer one until its closure ends or throws`() throws {
    struct Failure: Error {}
    let inner = try Fixture()
    try AppGroupsContainer.withStandard(fixture.container) { () throws in
      #expect(throws: Failure.self) {
        try AppGroupsContainer.withStandard(inner.container) { () throws in
          #expect(try AppGroupsContainer.standard == inner.container)
          throw Failure()
        }
      }
      #expect(try AppGroupsContainer.standard == fixture.container)
    }
  }

  @Test
  func `a program sets its standard container once`() async throws {
    let peer = try PeerProcess()
    let failure = await #expect(throws: PeerProcess.Failure.self) { try await peer.send("open-standard count.json") }
    #expect(failure.map { "\($0)" }?.contains(AppGroupsError.noStandard.description) == true)
    try await peer.send("standard \(fixture.path)")
    try await peer.send("open-standard count.json")
    try await peer.send("increment count.json 3")
    #expect(try fixture.counter("count.json").value == 3)

    // Another container is refused, and the first one stays.
    let other = try Fixture()
    let refusal = await #expect(throws: PeerProcess.Failure.self) { try await peer.send("standard \(other.path)") }
    let error = AppGroupsError.standardIsSet(other.container, current: fixture.container)
    #expect(refusal.map { "\($0)" }?.contains(error.description) == true)
    try await peer.send("standard \(fixture.path)")
    try await peer.send("open-standard other.json")
    #expect(try fixture.contents(of: fixture.files) == [".shared", "count.json", "other.json"])
  }

  @Test
  func `threads that set different standard containers at once agree on one`() async throws {
    let fixtures = try (0..<4).map { _ in try Fixture() }
    let peer = try PeerProcess()
    let chosen = try await peer.send("standard-race " + fixtures.map(\.path).joined(separator: " "))
    #expect(fixtures.map(\.path).contains(chosen))
  }
}
