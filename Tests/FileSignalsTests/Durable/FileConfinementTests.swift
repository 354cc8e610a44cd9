import Foundation
import TestSupport
import Testing

@testable import FileSignals

@Suite("A file that must not lead out of a directory", .patient)
struct FileConfinementTests {
  let folder: TemporaryDirectory
  let root: URL

  init() throws {
    folder = try TemporaryDirectory()
    root = URL(filePath: try #require(try canonicalPath(folder.url.path)) + "/group", directoryHint: .isDirectory)
    let manager = FileManager.default
    for name in ["group/inner", "group/closed", "outside"] {
      try manager.createDirectory(at: folder.file(name), withIntermediateDirectories: true)
      try Data(name.utf8).write(to: folder.file("\(name)/file"))
    }
    try manager.createSymbolicLink(atPath: root.path + "/in", withDestinationPath: "inner")
    try manager.createSymbolicLink(atPath: root.path + "/out", withDestinationPath: "../outside")
  }

  private func read(_ path: String) throws -> String {
    let confinement = FileConfinement(to: root, except: root.appending(path: "closed"))
    let access = FileLocation(URL(filePath: "\(root.path)/\(path)"), within: confinement)
    return String(decoding: try access.read(limit: 100), as: UTF8.self)
  }

  @Test(arguments: ["inner/file", "inner//file", "in/file", "in//file", "../group/inner/file"])
  func `is read from inside`(path: String) throws {
    #expect(try read(path) == "group/inner")
  }

  @Test(arguments: ["out/file", "out//file", "out/./file", "../outside/file", "in/../../outside/file", "closed/file"])
  func `is refused outside`(path: String) throws {
    do {
      let content = try read(path)
      Issue.record("\(content) was read")
    } catch DurableFileError.outsideRoot {}
  }

  @Test func `is refused if the directory itself becomes a link`() throws {
    let manager = FileManager.default
    let moved = folder.file("moved")
    try manager.moveItem(at: root, to: moved)
    try manager.createSymbolicLink(at: root, withDestinationURL: moved)
    #expect(throws: DurableFileError.self) { try read("inner/file") }
  }
}
