import AppGroups
import Containers
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Sealed values in a root that is switched", .patient)
struct SealedInScopeTests {
  private let root: TemporaryDirectory
  private let app: AppContainer
  private let seal = FileSeal("1", key: "key", seal: TestCipher.seal, open: TestCipher.open)

  init() throws {
    root = try TemporaryDirectory()
    app = try AppContainer(home: root.url.appending(path: "home", directoryHint: .isDirectory))
  }

  @Test
  func `a copy of an environment has the sealed values, and no environment has them in the clear`() async throws {
    let suite = try AppGroupsSuite(name: "suite.json", scope: app.scope, seal: seal)
    let file = try AppGroupsFile(
      name: "note", initialValue: "", scope: app.scope, format: .json.sealed(by: seal))
    for number in 1...20 { try await suite.set("confidential \(number)", forKey: "word") }
    try await file.write("confidential note")
    let copy = try app.clone(id: AppContainer.Environment.defaultID, name: "Copy")
    try await app.activate(id: copy.id)
    #expect(try suite.value(forKey: "word", as: String.self) == "confidential 20")
    #expect(file.value == "confidential note")
    try await suite.set("confidential copy", forKey: "word")
    try await app.activate(id: AppContainer.Environment.defaultID)
    #expect(try suite.value(forKey: "word", as: String.self) == "confidential 20")
    #expect(suite.status.value == .current)
    try await suite.synchronize()
    for name in try FileManager.default.subpathsOfDirectory(atPath: root.url.path) {
      let url = root.url.appending(path: name)
      guard try FileStatus(path: url.path)?.kind == .regular else { continue }
      #expect(try DurableFile.read(url).range(of: Data("confidential".utf8)) == nil, "\(name)")
    }
  }

  @Test
  func `an environment whose key is missing is reported, and nothing of another one gets into it`() async throws {
    let suite = try AppGroupsSuite(name: "suite.json", scope: app.scope, seal: seal)
    let second = try app.create(name: "Other")
    try await suite.set(1, forKey: "first")
    try await suite.synchronize()
    try await app.activate(id: second.id)
    let other = FileSeal("2", key: "other", seal: TestCipher.seal, open: TestCipher.open)
    let both = FileSeal("2", key: "other", older: ["1": "key"], seal: TestCipher.seal, open: TestCipher.open)
    try await AppGroupsSuite(name: "suite.json", scope: app.scope, seal: both).set(2, forKey: "second")
    try await suite.status.firstValue { $0.failure == .unknownKey(suite.url, key: "2") }
    let before = try DurableFile.read(suite.url)
    #expect(throws: AppGroupsFileError.unknownKey(suite.url, key: "2")) { try suite.set(3, forKey: "third") }
    try await app.activate(id: AppContainer.Environment.defaultID)
    #expect(suite.value.keys == ["first"])
    try await app.activate(id: second.id)
    #expect(suite.value.keys.isEmpty)
    #expect(throws: AppGroupsFileError.unknownKey(suite.url, key: "2")) { try suite.set(3, forKey: "third") }
    #expect(try DurableFile.read(suite.url) == before)
    #expect(try AppGroupsSuite(name: "suite.json", scope: app.scope, seal: other).value.keys == ["second"])
  }
}
