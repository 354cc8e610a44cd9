import AppGroups
import CLibrary
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

/// A program that observes nothing, with its standard error.
private final class Program {
  private let process = Process()
  private let (input, output, errors) = (Pipe(), Pipe(), Pipe())

  init() throws {
    process.executableURL = PeerProcess.builtExecutable
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
  }

  /// Runs a command, and returns its answer.
  func run(_ command: String) throws -> String {
    input.fileHandleForWriting.write(Data((command + "\n").utf8))
    var line = ""
    repeat { line = try Self.line(of: output) } while line.hasPrefix("event ")
    return line
  }

  /// Waits for an event.
  func event() throws -> String {
    let line = try Self.line(of: output)
    return line.hasPrefix("event ") ? String(line.dropFirst(6)) : line
  }

  /// Waits for a line about a failure.
  func failure() throws -> String { try Self.line(of: errors) }

  /// Ends the program as its last statement would, and returns what else it has written about failures.
  func end() throws -> String {
    input.fileHandleForWriting.write(Data("exit 0\n".utf8))
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return try String(decoding: errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
  }

  private static func line(of pipe: Pipe) throws -> String {
    var bytes = Data()
    while let byte = try pipe.fileHandleForReading.read(upToCount: 1), byte != Data("\n".utf8) { bytes += byte }
    return String(decoding: bytes, as: UTF8.self)
  }
}

@Suite("Failures of a program that observes nothing")
struct UnobservedFailureTests {
  private let directory: TemporaryDirectory
  private let container: AppGroupsContainer

  init() throws {
    directory = try TemporaryDirectory()
    container = try AppGroupsContainer(directory: directory.url)
  }

  private var path: String { directory.url.path }

  private func makeWrongValue() throws {
    let suite = try AppGroupsSuite(name: "settings.json", container: container)
    try suite.set("loud", forKey: "volume")
    try suite.synchronize()
  }

  private func makeDamagedFile() throws -> URL {
    let url = try AppGroupsFile(name: "count.json", initialValue: 1, container: container).url
    try DurableFile.write(Data("{".utf8), to: url)
    return url
  }

  private func makeDamagedLog() throws {
    let log = try AppGroupsLog<String>(name: "events", container: container)
    for text in ["first", "second", "third"] { try log.append(text) }
    let folder = try #require(
      FileManager.default.enumerator(at: log.url, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }.first {
        (try? DurableFile.read($0))?.range(of: Data("second".utf8)) != nil
      })
    var bytes = try DurableFile.read(folder)
    let range = try #require(bytes.range(of: Data("second".utf8)))
    bytes[range.lowerBound] ^= 0xFF
    let handle = try FileHandle(forWritingTo: folder)
    try handle.write(contentsOf: bytes)
    try handle.close()
  }

  @Test func `a wrong value in a settings file, an unreadable flag file and a damaged log each print one line`() throws
  {
    try makeWrongValue()
    try makeDamagedLog()
    let flags = directory.file("flags.json")
    try DurableFile.write(Data("{\n  \"shop\": {,".utf8), to: flags)
    let program = try Program()
    #expect(try program.run("unobserved-suite \(path) settings.json volume") == "ok 5")
    let value = try program.failure()
    #expect(value.hasPrefix("AppGroupsSuite: ") && value.contains("volume") && value.contains("settings.json"))
    #expect(value.contains("the failures of the AppGroupsSuite"))
    #expect(try program.run("unobserved-flags \(flags.path)") == "ok 5")
    let flag = try program.failure()
    #expect(flag.hasPrefix("FileTweakProvider: ") && flag.contains(flags.path))
    #expect(try program.run("unobserved-log \(path) events") == "ok")
    let log = try program.failure()
    #expect(log.hasPrefix("AppGroupsLog") && log.contains("events"))
    // Nothing is written twice.
    #expect(try program.run("unobserved-suite \(path) settings.json volume") == "ok 5")
    #expect(try program.end() == "")
  }

  @Test func `a program that ends at once prints the line, too`() throws {
    let url = try makeDamagedFile()
    try makeWrongValue()
    for command in ["file \(path) count.json", "suite \(path) settings.json volume", "flags \(url.path)"] {
      let program = try Program()
      #expect(try program.run("unobserved-\(command)") == "ok 5")
      let lines = try program.end().split(separator: "\n")
      #expect(lines.count == 1, "\(command): \(lines)")
    }
  }

  @Test func `a file that is repaired in time prints nothing`() throws {
    let url = try makeDamagedFile()
    let program = try Program()
    #expect(try program.run("unobserved-file \(path) count.json") == "ok 5")
    try DurableFile.write(Data("7".utf8), to: url)
    while try program.run("unobserved-values") != "ok 7" {}
    #expect(try program.end() == "")
  }

  @Test func `a program that observes the container receives the failures of everything in it, and prints none`() throws
  {
    try makeWrongValue()
    _ = try makeDamagedFile()
    let program = try Program()
    #expect(try program.run("observe-failures \(path)") == "ok")
    #expect(try program.run("unobserved-file \(path) count.json") == "ok 5")
    #expect(try program.event().hasPrefix("observed AppGroupsFile: "))
    #expect(try program.run("unobserved-suite \(path) settings.json volume") == "ok 5")
    #expect(try program.end() == "")
  }

  @Test func `one call passes the failures elsewhere`() throws {
    try makeWrongValue()
    let program = try Program()
    #expect(try program.run("redirect-failures") == "ok")
    #expect(try program.run("unobserved-suite \(path) settings.json volume") == "ok 5")
    #expect(try program.event().hasPrefix("redirected AppGroupsSuite: "))
    #expect(try program.end() == "")
  }
}
