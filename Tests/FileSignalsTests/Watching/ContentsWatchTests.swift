import Dispatch
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Watching what is written into files")
struct ContentsWatchTests {
  #if os(Linux)
    @Test
    func `a write is told of while the file is still open, and by whose name`() async throws {
      let directory = try TemporaryDirectory()
      let url = directory.file("open")
      try Data().write(to: url)
      let seen = Recorder<ContentsWatch.Changes>()
      let watch = try ContentsWatch(directory.url, queue: DispatchQueue(label: "test")) { seen.record($0) }
      watch.start()
      let handle = try FileHandle(forWritingTo: url)
      // The first may come in one burst with what another test's watch hears late: that this directory was made.
      repeat {
        let count = seen.elements.count
        try handle.write(contentsOf: Data("one".utf8))
        try await seen.wait(for: "the write") { $0.dropFirst(count).contains { $0.written == ["open"] } }
      } while seen.elements.allSatisfy(\.isStructural)
      try Data().write(to: directory.file("new"))
      try await seen.first("the new file") { $0.isStructural }
      try handle.close()
      withExtendedLifetime(watch) {}
    }

    @Test
    func `who watches the same directory for its entries is not told of each write`() async throws {
      let directory = try TemporaryDirectory()
      let url = directory.file("open")
      try Data().write(to: url)
      let contents = Recorder<Bool>()
      let watch = try ContentsWatch(directory.url, queue: DispatchQueue(label: "test")) {
        contents.record($0.isStructural)
      }
      watch.start()
      let events = try DirectoryObserver(directory.url).recorded()
      let handle = try FileHandle(forWritingTo: url)
      for count in 1...5 {
        try handle.write(contentsOf: Data("one".utf8))
        try await contents.wait(for: "write \(count)") { $0.count >= count }
      }
      #expect(events.elements == [])
      try handle.close()
      try await events.first("the end of writing") { $0.kind == .modified }
      withExtendedLifetime(watch) {}
    }
  #endif

  @Test
  func `a directory that comes back is watched again`() async throws {
    let directory = try TemporaryDirectory()
    let folder = directory.file("folder")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let seen = Recorder<Bool>()
    let watch = try ContentsWatch(folder, queue: DispatchQueue(label: "test")) { seen.record($0.isStructural) }
    watch.start()
    for round in 1...5 {
      try FileManager.default.removeItem(at: folder)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      try await watch.health.firstValue { $0 == .active }
      let count = seen.elements.count
      try Data().write(to: folder.appending(path: "file \(round)"))
      try await seen.wait(for: "round \(round)") { $0.count > count }
    }
    withExtendedLifetime(watch) {}
  }
}
