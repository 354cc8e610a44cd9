import Containers
import Foundation
import TestSupport
import Testing

@Suite("Speed of switching", .enabled(if: Scale.isTorture))
struct SpeedTests {
  private func fill(_ url: URL, count: Int) throws {
    for folder in 0..<count / 100 {
      let folder = url.appending(path: "Library/Caches/\(folder)", directoryHint: .isDirectory)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for file in 0..<100 {
        _ = FileManager.default.createFile(atPath: "\(folder.path)/\(file)", contents: Data("a".utf8))
      }
    }
  }

  private func medianSwitch(files: Int) throws -> Duration {
    let fixture = try Fixture(filled: false)
    let app = try fixture.open()
    let work = try app.createNewContainer(name: "Work")
    try fill(fixture.root, count: files)
    try app.activate(container: work)
    try fill(fixture.root, count: files)
    var times: [Duration] = []
    for round in 0..<21 {
      let uuid = round.isMultiple(of: 2) ? Container.defaultUUID : work.uuid
      times.append(try ContinuousClock().measure { try app.activateContainer(uuid: uuid) })
    }
    return times.sorted()[10]
  }

  @Test func `a switch of 100,000 files takes no more than three times one of none`() throws {
    let empty = try medianSwitch(files: 0)
    let full = try medianSwitch(files: 100_000)
    Scale.progress("a switch takes \(empty) without files, \(full) with 100,000 in each container")
    #expect(full <= empty * 3)
  }
}
