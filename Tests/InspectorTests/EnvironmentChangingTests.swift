import AppGroups
import Containers
import Foundation
import Inspector
import TestSupport
import Testing

/// The changes of environments that the panel and the command line request.
@Suite(.patient) struct EnvironmentChangingTests {
  private let directory: InspectedDirectory
  private let app: AppContainer
  private let inspector: Inspector

  init() throws {
    directory = try InspectedDirectory()
    app = try AppContainer(home: directory.url)
    _ = try app.create(name: "Work", description: "for tests")
    inspector = try Inspector(directory: directory.url, isWritable: true)
  }

  /// The names and descriptions that the inspector shows, the active environment marked.
  private func shown() throws -> [String] {
    guard case .container(let details)? = inspector.value["container/"]?.typedDetails else { throw CommandFailure() }
    return details.environments.map { "\($0.active ? "*" : "")\($0.name)\($0.description.map { ": \($0)" } ?? "")" }
  }

  private func write(_ name: String) throws {
    let documents = directory.file("Documents")
    try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
    try Data(name.utf8).write(to: documents.appending(path: name))
  }

  /// The live files, none if there is not even a folder for them.
  private var files: [String] {
    get throws {
      let folder = directory.file("Documents").path
      guard FileManager.default.fileExists(atPath: folder) else { return [] }
      return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }
  }

  @Test func `environments are cloned, cleaned and described through the inspector`() async throws {
    _ = try await inspector.perform(.switchEnvironment(to: "Work"))
    try write("work")
    let clone = try await inspector.perform(.cloneEnvironment("Work", named: "Copy"))
    #expect(clone.message.hasPrefix("Cloned the environment Work as Copy"))
    let clean = try await inspector.perform(.cleanEnvironment("Work"))
    #expect(clean.message == "Cleaned the environment Work.")
    #expect(try files == [])
    _ = try await inspector.perform(.renameEnvironment("Copy", to: "Kept", description: "a copy"))
    _ = try await inspector.perform(.switchEnvironment(to: "Kept"))
    #expect(try files == ["work"])
    #expect(try shown() == ["Default", "Work: for tests", "*Kept: a copy"])
    // What was created can be undone.
    _ = try await inspector.perform(.switchEnvironment(to: "Default"))
    _ = try await inspector.perform(try #require(clone.undo))
    #expect(try shown() == ["*Default", "Work: for tests"])
  }

  @Test func `changes of unknown environments are refused, and name what is missing`() async throws {
    let archive = directory.temporary.url.appending(path: "archive")
    let requests: [InspectorRequest] = [
      .switchEnvironment(to: "Nowhere"), .cloneEnvironment("Nowhere"), .renameEnvironment("Nowhere", to: "Somewhere"),
      .cleanEnvironment("Nowhere"), .deleteEnvironment("Nowhere"), .exportEnvironment("Nowhere", to: archive),
    ]
    for request in requests {
      for isDry in [true, false] {
        let refusal = try await inspector.refusal(of: request, dryRun: isDry)
        #expect(refusal == .notFound("the environment Nowhere"), "\(request.action)")
      }
    }
    let elsewhere = try await inspector.refusal(of: .createEnvironment(named: "New", in: "container/elsewhere"))
    #expect(elsewhere.code == "notFound")
    #expect(try shown() == ["*Default", "Work: for tests"])
    #expect(!FileManager.default.fileExists(atPath: archive.path))
  }

  @Test func `changes that an app refuses are refused by the inspector, and nothing has changed`() async throws {
    try write("default")
    let broken = directory.temporary.url.appending(path: "broken")
    try Data("no archive".utf8).write(to: broken)
    let requests: [(InspectorRequest, String)] = [
      (.deleteEnvironment("Default"), "default environment"),
      (.importEnvironment(from: broken), "broken"),
      (.importEnvironment(from: directory.temporary.url.appending(path: "missing")), "missing"),
      (.exportEnvironment("Work", to: directory.temporary.url.appending(path: "none/work")), "none"),
    ]
    for (request, word) in requests {
      let refusal = try await inspector.refusal(of: request)
      #expect("\(refusal)".contains(word), "\(request.action): \(refusal)")
    }
    #expect(try shown() == ["*Default", "Work: for tests"])
    #expect(try files == ["default"])
  }
}
