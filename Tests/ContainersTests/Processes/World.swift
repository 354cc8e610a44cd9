import Containers
import Foundation
import TestSupport
import Testing

/// A root with several containers, each of which has a tree of its own that must always be found whole.
struct World: Sendable {
  let fixture: Fixture
  let uuids: [String]
  let trees: [String: [String: String]]

  var names: String { uuids.joined(separator: ",") }
  var path: String { fixture.root.path }

  init(containers count: Int = 3) throws {
    fixture = try Fixture(filled: false)
    let app = try fixture.open()
    var uuids = [Container.defaultUUID]
    for number in 1..<count { uuids.append(try app.createNewContainer(name: "\(number)").uuid) }
    var trees: [String: [String: String]] = [:]
    for (seed, uuid) in uuids.enumerated() {
      try app.activateContainer(uuid: uuid)
      try Tree.fill(fixture.root, seed: seed)
      trees[uuid] = try fixture.live()
    }
    try app.activateContainer(uuid: Container.defaultUUID)
    (self.uuids, self.trees) = (uuids, trees)
  }

  /// Opens the root as the next launch does, and checks that all of it is there, and nothing else.
  ///
  /// - Returns: The active container.
  @discardableResult
  func check(_ comment: String = "") throws -> String {
    let app = try fixture.open()
    #expect(app.containers.map(\.uuid) == uuids, "\(comment)")
    let active = app.activeContainer.uuid
    for uuid in uuids {
      let url = uuid == active ? fixture.root : fixture.url(".containers/\(uuid)/data")
      let tree = try Tree.listing(url)
      #expect(tree == trees[uuid], "\(comment): \(uuid == active ? "active" : "inactive") \(uuid)")
    }
    #expect(try Tree.listing(fixture.url(".containers/\(active)/data")).isEmpty, "\(comment)")
    #expect(!fixture.exists(".containers/journal.json"), "\(comment)")
    #expect(!fixture.exists(".containers/aside"), "\(comment)")
    return active
  }
}
