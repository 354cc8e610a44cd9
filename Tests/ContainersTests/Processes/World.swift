import Containers
import Foundation
import Signals
import TestSupport
import Testing

/// A root with several environments, each with its own tree, which must always be whole.
struct World: Sendable {
  let fixture: Fixture
  let ids: [UUID]
  let trees: [UUID: [String: String]]

  var names: String { ids.map(\.uuidString).joined(separator: ",") }
  var path: String { fixture.root.path }

  init(environments count: Int = 3) throws {
    fixture = try Fixture(filled: false)
    let app = try fixture.open()
    var ids = [Environment.defaultID]
    for number in 1..<count { ids.append(try app.create(name: "\(number)").id) }
    var trees: [UUID: [String: String]] = [:]
    for (seed, id) in ids.enumerated() {
      try app.activate(id: id)
      try Tree.fill(fixture.root, seed: seed)
      trees[id] = try fixture.live()
    }
    try app.activate(id: Environment.defaultID)
    (self.ids, self.trees) = (ids, trees)
  }

  /// Opens the root as the next launch does, and checks that it is complete and has no other entries.
  ///
  /// - Returns: The active environment.
  @discardableResult
  func check(_ comment: String = "") throws -> UUID {
    let app = try fixture.open()
    #expect(app.environments.value.map(\.id) == ids, "\(comment)")
    let active = app.active.value.id
    for id in ids {
      let url = id == active ? fixture.root : fixture.url(".containers/\(id)/data")
      let tree = try fixture.listing(url)
      #expect(tree == trees[id], "\(comment): \(id == active ? "active" : "inactive") \(id)")
    }
    #expect(try Tree.listing(fixture.url(".containers/\(active)/data")).isEmpty, "\(comment)")
    #expect(!fixture.exists(".containers/journal.json"), "\(comment)")
    #expect(!fixture.exists(".containers/aside"), "\(comment)")
    return active
  }
}
