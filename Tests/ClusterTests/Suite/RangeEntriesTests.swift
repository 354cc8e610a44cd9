import Foundation
import Testing

@testable import Cluster

@Suite("The entries of a range of keys")
struct RangeEntriesTests {
  private var entries = RangeEntries()

  private func entry(_ text: String, _ revision: Int64) -> EtcdEntry {
    EtcdEntry(key: Data(), modRevision: revision, value: Data(text.utf8))
  }

  private func name(_ text: String) -> Data { Data(text.utf8) }

  private var texts: [String: String] {
    Dictionary(
      uniqueKeysWithValues: entries.entries.map {
        (String(decoding: $0, as: UTF8.self), String(decoding: $1.value, as: UTF8.self))
      })
  }

  /// Applies a change that this process has made.
  private mutating func adopt(_ text: String, _ value: String?, _ revision: Int64) -> Bool {
    entries.apply(name(text), value.map { entry($0, revision) }, at: revision)
  }

  private mutating func read(_ texts: [String: (String, Int64)] = [:], at revision: Int64) -> Bool {
    let read = texts.map { (name($0), entry($1.0, $1.1)) }
    return entries.replace(with: Dictionary(uniqueKeysWithValues: read), at: revision)
  }

  /// Applies a change as the watch delivers it.
  private mutating func deliver(_ text: String, _ value: String?, _ revision: Int64) -> Bool {
    defer { entries.advance(to: revision) }
    return entries.apply(name(text), value.map { entry($0, revision) }, at: revision)
  }

  @Test mutating func `a complete read keeps changes that are newer`() {
    #expect(adopt("a", "new", 12))
    #expect(adopt("b", nil, 13))
    #expect(read(["a": ("old", 5), "b": ("old", 6), "c": ("same", 7)], at: 11))
    #expect(texts == ["a": "new", "c": "same"])
  }

  @Test mutating func `an event that this process has applied before changes nothing`() {
    _ = read(at: 10)
    #expect(adopt("a", "own", 14))
    #expect(deliver("a", "other", 12) == false)
    #expect(deliver("b", "other", 13))
    #expect(deliver("a", "own", 14) == false)
    #expect(deliver("a", "later", 15))
    #expect(texts == ["a": "later", "b": "other"])
  }

  @Test mutating func `several changes of one revision are all applied`() {
    _ = read(at: 10)
    #expect(deliver("a", "1", 11))
    #expect(deliver("b", "2", 11))
    #expect(deliver("a", "again", 11) == false)
    #expect(texts == ["a": "1", "b": "2"])
  }

  @Test mutating func `names that come and go leave nothing in memory`() {
    _ = read(at: 10)
    for revision in stride(from: Int64(11), to: 2011, by: 2) {
      #expect(deliver("name \(revision)", "1", revision))
      #expect(deliver("name \(revision)", nil, revision + 1))
    }
    #expect(entries.entries.isEmpty)
    #expect(entries.changes.count <= 33)
  }

  @Test mutating func `in a new era smaller revisions count`() {
    _ = read(["a": ("old", 90)], at: 100)
    entries.beginEra()
    #expect(read(["a": ("new", 4)], at: 5))
    #expect(texts == ["a": "new"])
  }
}
