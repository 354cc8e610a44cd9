import Dispatch
import Foundation
import Inspector
import Signals
import Synchronization
import TestSupport
import Testing

/// Directories in which more happens than an inspector can show one by one.
@Suite struct LoadTests {
  /// A thread that replaces 60 files in turn, without a pause, until it is ended.
  private final class Writer: Sendable {
    private let isEnding = Atomic(false)
    private let rounds = Atomic(0)
    private let queue = DispatchQueue(label: "writer")

    init(_ folder: URL) {
      queue.async { [self] in
        while !isEnding.load(ordering: .relaxed) {
          let round = rounds.add(1, ordering: .relaxed).newValue
          for number in 0..<60 {
            let temporary = folder.path + "/.new-\(number)"
            _ = FileManager.default.createFile(atPath: temporary, contents: Data(#"{"round": \#(round)}"#.utf8))
            rename(temporary, folder.path + "/\(number).json")
          }
        }
      }
    }

    /// Ends the writes, and returns the number of rounds.
    func end() async -> Int {
      isEnding.store(true, ordering: .relaxed)
      await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
      return rounds.load(ordering: .relaxed)
    }
  }

  private func folder(_ directory: InspectedDirectory) throws -> URL {
    let folder = directory.file("Files")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  @Test func `changes arrive while files are replaced without a pause, and the last ones are shown`() async throws {
    let directory = try InspectedDirectory()
    let folder = try folder(directory)
    let inspector = try Inspector(directory: directory.url)
    let writer = Writer(folder)
    // Every file changes again and again in the snapshot, although the writer never rests.
    _ = try await inspector.wait { snapshot in
      let files = snapshot.resources(.file)
      return files.count == 60 && files.allSatisfy { ($0.value?["round"]?.int ?? 0) > 20 && $0.rate != nil }
    }
    let rounds = await writer.end()
    _ = try await inspector.wait { snapshot in
      snapshot.resources(.file).allSatisfy { $0.value?["round"]?.int == rounds }
    }
  }

  @Test func `a file beyond the limit is named as large, and the others are shown`() async throws {
    let directory = try InspectedDirectory()
    let folder = try folder(directory)
    let large = folder.appending(path: "large.json")
    let member = String(repeating: "x", count: 1 << 10)
    let text = "[" + Array(repeating: "\"\(member)\"", count: 7500).joined(separator: ",") + "]"
    try Data(text.utf8).write(to: large)
    try Data("1".utf8).write(to: folder.appending(path: "small.json"))
    let inspector = try Inspector(directory: directory.url, isWritable: true)
    let resource = try #require(inspector.value["file/large.json"])
    #expect(resource.status == .large)
    #expect(resource.value == nil)
    #expect(resource.size == text.utf8.count)
    #expect(resource.problem?.contains("1048576 bytes are not read") == true)
    #expect(inspector.value["file/small.json"]?.value == 1)
    #expect(try await inspector.resource("file/large.json").value == nil)
    #expect(try await inspector.refusal(of: inspector.request("file/large.json", "/0", "y")).code == "invalid")
    // A change of its content is noticed, and it is shown once it is small enough.
    try Data("[2]".utf8).write(to: large)
    _ = try await inspector.wait { $0["file/large.json"]?.value == [2] }
  }

  @Test func `numbers of any length keep their digits, also if another member is changed`() async throws {
    let directory = try InspectedDirectory()
    let file = try folder(directory).appending(path: "numbers.json")
    let digits = "123456789012345678901234567890"
    try Data(#"{"long": \#(digits), "wide": 1e999, "name": "a"}"#.utf8).write(to: file)
    let inspector = try Inspector(directory: directory.url, isWritable: true)
    let resource = try #require(inspector.value["file/numbers.json"])
    #expect(resource.status == .ok)
    #expect(resource.value?["long"] == .longNumber(digits))
    #expect(resource.value?["wide"] == .longNumber("1e999"))
    let encoded = try InspectorJSON.encode(resource)
    #expect(String(decoding: encoded, as: UTF8.self).contains(#"{"$number":"\#(digits)"}"#))
    #expect(try InspectorJSON.decode(InspectedValue.self, from: encoded)["value"] == resource.value)
    _ = try await inspector.perform(inspector.request(resource.id, "/name", "b"))
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(text.contains(digits) && text.contains("1e999") && text.contains(#""b""#))
  }

  @Test func `a text in the place of a number is no number`() throws {
    let member = #"{"$number":"12 apples"}"#
    let value = try InspectorJSON.decode(InspectedValue.self, from: Data(member.utf8))
    #expect(value == ["$number": "12 apples"])
  }
}
