import AppGroups
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Readers while another process writes", .patient)
struct TornReadTests {
  static let size = 200_000

  @Test
  func `no read returns half a value or none`() async throws {
    let fixture = try Fixture()
    let url = try fixture.note().url
    let writer = try await fixture.peer()
    try await writer.send("loop-write \(fixture.path) note.json \(Self.size)")
    let count = Scale.count(30_000, torture: 1_000_000)
    let distinct = try await onThread {
      var letters: Set<UInt8> = []
      for round in 0..<count {
        let data = try DurableFile.read(url)
        // Until the writer's first write, the content is the initial value.
        if data.count > 1000 { try letters.insert(Self.letter(of: data)) } else { try Self.check(initial: data) }
        if round % 100_000 == 99_999 { Scale.progress("\(round + 1) whole reads") }
      }
      return letters
    }
    #expect(distinct.count > 1, "the writer was active during the reads")
    #expect(try await Int(writer.send("stop")).map { $0 > 10 } == true)
  }

  @Test
  func `no observer and no decoding read sees half a value`() async throws {
    let fixture = try Fixture()
    let file = try fixture.note()
    let failures = file.failures.recorded()
    let values = file.recorded()
    let writer = try await fixture.peer()
    try await writer.send("loop-write \(fixture.path) note.json \(Self.size)")
    try await onThread {
      for _ in 0..<Scale.count(100, torture: 5_000) { try Self.check(file.read()) }
    }
    try await values.wait(for: "some values") { $0.count > 10 }
    try await writer.send("stop")
    let last = try file.read()
    try await file.firstValue { $0 == last }
    for value in values.elements { try Self.check(value) }
    #expect(failures.elements.isEmpty)
    #expect(file.status.value == .current)
  }

  struct Torn: Error, CustomStringConvertible {
    let description: String
  }

  /// The letter that fills the text of an encoded note.
  private static func letter(of data: Data) throws -> UInt8 {
    // The text is at the end of the content and has the requested length; equal bytes equal themselves shifted by one.
    // Everything is compared as data, because a check must not take longer than a read.
    let text = data.dropLast(4).suffix(size)
    let isWhole = data.suffix(4) == Data("\"\n}\n".utf8) && data.dropLast(4 + size).last == UInt8(ascii: "\"")
    guard isWhole, text.dropLast() == text.dropFirst(), let letter = text.first else {
      throw Torn(description: "\(data.count) bytes that end in \(String(decoding: data.suffix(10), as: UTF8.self))")
    }
    return letter
  }

  private static func check(initial data: Data) throws {
    guard try JSONDecoder().decode(Note.self, from: data) == Note() else {
      throw Torn(description: "\(data.count) bytes")
    }
  }

  private static let wholeTexts = Set("abcdefgh".map { String(repeating: $0, count: size) })

  private static func check(_ note: Note) throws {
    guard note == Note() || wholeTexts.contains(note.text) else {
      throw Torn(description: "a text of \(note.text.utf8.count) bytes")
    }
  }
}
