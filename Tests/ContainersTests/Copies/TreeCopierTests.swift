import Foundation
import TestSupport
import Testing

@testable import Containers

@Suite("Copies of trees")
struct TreeCopierTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    for name in ["b.segment", "a.segment", ".consumers/widget.cursor"] {
      let url = directory.file("old/\(name)")
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(name.utf8).write(to: url)
    }
  }

  /// Copies the tree, and calls a closure with the number of entries copied so far.
  private func copy(_ progress: @escaping (Int) throws -> Void) throws -> [String] {
    var problem: (any Error)?
    try SeparateDescriptors.run(staging: nil) { [directory] descriptors throws(AppContainerError) in
      let folder = try Folder(directory.url)
      var copier = TreeCopier(descriptors: descriptors) { count in
        do { try progress(count) } catch { problem = error }
        return true
      }
      try copier.copy(EntryPath("old"), in: folder, to: EntryPath("new"), in: folder)
    }
    if let problem { throw problem }
    return try FileManager.default.subpathsOfDirectory(atPath: directory.url.appending(path: "new").path).sorted()
  }

  @Test func `hidden entries are copied first, so that no cursor is ahead of its log`() throws {
    var first: [String] = []
    let all = try copy { [directory] count in
      guard count == 1 else { return }
      first = try FileManager.default.subpathsOfDirectory(atPath: directory.url.appending(path: "new").path).sorted()
    }
    #expect(first == [".consumers", ".consumers/widget.cursor"])
    #expect(all == [".consumers", ".consumers/widget.cursor", "a.segment", "b.segment"])
  }

  @Test func `an entry that is removed during the copy is left out`() throws {
    let all = try copy { [directory] count in
      if count == 1 { try FileManager.default.removeItem(at: directory.file("old/b.segment")) }
    }
    #expect(all == [".consumers", ".consumers/widget.cursor", "a.segment"])
  }
}
