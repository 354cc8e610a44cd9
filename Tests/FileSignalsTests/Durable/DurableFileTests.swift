import FileSignals
import Foundation
import TestSupport
import Testing

@Suite(.patient) struct `A durable file` {
  let folder: TemporaryDirectory
  let file: URL

  init() throws {
    folder = try TemporaryDirectory()
    file = folder.file("value")
  }

  @Test func `stops with an explanation if a mode is not written in octal`() async throws {
    await #expect(processExitsWith: .failure) { [path = folder.url.path as String] in
      try DurableFile.write(Data(), to: URL(filePath: path).appending(path: "value"), mode: 640)
    }
    #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "value").path))
  }

  @Test(arguments: [Durability.process, .storage])
  func `reads back the written content, and leaves only its lock beside it`(_ durability: Durability) throws {
    for size in [0, 1, 4096, 1_000_003] {
      let data = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      try DurableFile.write(data, to: file, durability: durability)
      #expect(try DurableFile.read(file) == data)
    }
    #expect(try folder.names() == [".shared", "value"])
    #expect(try folder.names(in: ".shared") == ["value.lock"])
  }

  @Test func `is private when new, whatever the mask, like every file beside it`() throws {
    try DurableFile.write(Data("x".utf8), to: file)
    #expect(try permissions(of: file) == 0o600)
    #expect(try permissions(of: folder.file(".shared")) == 0o700)
    #expect(try permissions(of: folder.file(".shared/value.lock")) == 0o600)
  }

  @Test(arguments: [0o600, 0o644, 0o640, 0o664])
  func `keeps its mode when replaced`(_ mode: Int) throws {
    try Data("old".utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: NSNumber(value: mode)], ofItemAtPath: file.path)
    try DurableFile.write(Data("new".utf8), to: file)
    #expect(try permissions(of: file) == mode)
    try DurableFile.write(Data("newer".utf8), to: file, mode: 0o600)
    #expect(try permissions(of: file) == 0o600)
  }

  @Test func `replaces the target of a symbolic link and keeps the link`() throws {
    let target = try folder.makeFolder("elsewhere").appending(path: "target")
    try Data("old".utf8).write(to: target)
    try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "elsewhere/target")
    try DurableFile.write(Data("new".utf8), to: file)
    #expect(try text(target) == "new")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file.path) == "elsewhere/target")
    #expect(try folder.names() == ["elsewhere", "value"])
    #expect(try DurableFile.read(file) == Data("new".utf8))
  }

  @Test func `replaces the leftovers of a killed writer`() throws {
    _ = try folder.makeFolder(".shared")
    try Data("half".utf8).write(to: folder.file(".shared/value.tmp"))
    try DurableFile.write(Data("whole".utf8), to: file)
    #expect(try text(file) == "whole")
    #expect(try folder.names(in: ".shared") == ["value.lock"])
  }

  @Test func `contains the whole value of one of many writing threads`() throws {
    let contents = (0..<8).map { Data(repeating: UInt8($0), count: 10_000) }
    DispatchQueue.concurrentPerform(iterations: 8) { index in
      for _ in 0..<20 {
        do {
          try DurableFile.write(contents[index], to: file, durability: .process)
          #expect(contents.contains(try DurableFile.read(file)))
        } catch {
          Issue.record(error)
        }
      }
    }
    #expect(contents.contains(try DurableFile.read(file)))
  }

  @Test func `is written from a task without blocking it`() async throws {
    try await DurableFile.write(Data("async".utf8), to: file)
    #expect(try DurableFile.read(file) == Data("async".utf8))
  }
}
