import FileSignals
import Foundation
import TestSupport
import Testing

@Suite struct `Hazards of the temporary file` {
  let folder: TemporaryDirectory
  let file: URL

  init() throws {
    folder = try TemporaryDirectory()
    file = folder.file("value")
    try DurableFile.write(Data("old".utf8), to: file)
  }

  /// Prepares a write, runs a closure, and then commits the write.
  private func write(creatingOnly: Bool = false, after body: () throws -> Void) throws {
    try DurableFile.withExclusiveAccess(to: file) { file in
      let prepared = try file.prepare(Data("new".utf8), durability: .process)
      try body()
      try prepared.commit(creatingOnly: creatingOnly)
    }
  }

  @Test func `its removal during a write is not reported as a missing file`() throws {
    let temporary = folder.file(".shared/value.tmp")
    let error = DurableFileError.system(operation: "rename", path: temporary.path, errno: ENOENT)
    #expect(throws: error) { try write { try FileManager.default.removeItem(at: temporary) } }
    #expect(try text(file) == "old")
    try FileManager.default.removeItem(at: file)
    #expect(throws: error) { try write(creatingOnly: true) { try FileManager.default.removeItem(at: temporary) } }
    try DurableFile.write(Data("newer".utf8), to: file)
    #expect(try text(file) == "newer")
  }

  @Test func `the removal of the directory during a write is reported as a missing directory`() throws {
    let error = DurableFileError.directoryNotFound(folder.url)
    #expect(throws: error) { try write { try FileManager.default.removeItem(at: folder.url) } }
  }

  @Test func `a directory in its place is reported by its own name`() throws {
    let temporary = try folder.makeFolder(".shared/value.tmp")
    let url = URL(fileURLWithPath: temporary.path, isDirectory: false)
    #expect(throws: DurableFileError.notARegularFile(url, kind: "a directory")) {
      try DurableFile.write(Data("new".utf8), to: file)
    }
    #expect(try text(file) == "old")
    try FileManager.default.removeItem(at: temporary)
    try DurableFile.write(Data("new".utf8), to: file)
    #expect(try folder.names(in: ".shared") == ["value.lock"])
  }

  @Test func `a second name left by a killed creator is not written through`() throws {
    // A file is created by giving the temporary file a second name. A writer that dies then leaves both names.
    let temporary = folder.file(".shared/value.tmp")
    try FileManager.default.linkItem(at: file, to: temporary)
    let reader = try FileHandle(forReadingFrom: file)
    try DurableFile.write(Data("new".utf8), to: file)
    #expect(try reader.readToEnd() == Data("old".utf8), "a reader that has the old file open still reads all of it")
    #expect(try text(file) == "new")
    #expect(try folder.names(in: ".shared") == ["value.lock"])
    try reader.close()
  }
}
