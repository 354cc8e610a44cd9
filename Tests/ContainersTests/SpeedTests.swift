import CLibrary
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
        let descriptor = open("\(folder.path)/\(file)", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        #expect(descriptor >= 0)
        close(descriptor)
      }
    }
  }

  private func medianSwitch(files: Int) throws -> Duration {
    let fixture = try Fixture(filled: false)
    let app = try fixture.open()
    let work = try app.create(name: "Work")
    try fill(fixture.root, count: files)
    try app.activate(work)
    try fill(fixture.root, count: files)
    var times: [Duration] = []
    for round in 0..<21 {
      let id = round.isMultiple(of: 2) ? Environment.defaultID : work.id
      times.append(try ContinuousClock().measure { try app.activate(id: id) })
    }
    return times.sorted()[10]
  }

  @Test func `a switch of 100,000 files takes at most three times as long as an empty one`() throws {
    let empty = try medianSwitch(files: 0)
    let full = try medianSwitch(files: 100_000)
    let single = try oneByOne(files: 100_000)
    Scale.progress("a switch takes \(empty) without files, \(full) with 100,000 each, \(single) file by file")
    #expect(full <= empty * 3)
    #expect(full * 10 <= single)
  }

  /// Measures moving the files of one environment out and those of another in, one at a time.
  private func oneByOne(files: Int) throws -> Duration {
    let directory = try TemporaryDirectory()
    let (live, first, second) = (directory.file("live"), directory.file("first"), directory.file("second"))
    try fill(live, count: files)
    try fill(second, count: files)
    return try ContinuousClock().measure {
      try moveAll(from: live.path, to: first.path)
      try moveAll(from: second.path, to: live.path)
    }
  }

  private func moveAll(from old: String, to new: String) throws {
    try FileManager.default.createDirectory(atPath: new, withIntermediateDirectories: true)
    for name in try FileManager.default.contentsOfDirectory(atPath: old) {
      var status = stat()
      lstat("\(old)/\(name)", &status)
      if status.st_mode & S_IFMT == S_IFDIR {
        try moveAll(from: "\(old)/\(name)", to: "\(new)/\(name)")
        rmdir("\(old)/\(name)")
      } else {
        rename("\(old)/\(name)", "\(new)/\(name)")
      }
    }
  }
}
