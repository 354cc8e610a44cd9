import FileSignals
import Foundation
import Signals

/// Encodes the contents of a suite as one JSON object, and splits such an object without decoding any value.
///
/// It remembers the last contents, so that unchanged values are neither read nor decoded again.
final class SuiteFormat: Sendable {
  private let url: URL

  private struct Memory {
    /// The entries that were last read or written, in the order of the file.
    var last: [SuiteEntry] = []
    /// A Boolean value that indicates whether these are sorted by name, and no name occurs twice; `nil` if unknown.
    var isSorted: Bool?
    var origin = 0
  }

  private let memory = Guarded(Memory())

  init(url: URL) {
    self.url = url
  }

  var format: FileFormat<SuiteContents> {
    FileFormat(encode: { self.encode($0) }, decode: { try self.decode($0) })
  }

  /// Forgets the last contents, because another file is read from now on.
  func beginAnew() {
    memory.withLock { $0.origin += 1 }
  }

  /// Marks contents that are about to be stored as the latest contents of the file.
  func renew(_ contents: inout SuiteContents) {
    contents.renew(url: url, origin: memory.withLock { $0.origin })
  }

  private func encode(_ contents: SuiteContents) -> Data {
    let entries = sorted(contents)
    remember(entries, isSorted: true)
    guard !entries.isEmpty else { return Data("{}\n".utf8) }
    let (start, separator, end) = (Array("{\n  ".utf8), Array(",\n  ".utf8), Array("\n}\n".utf8))
    let size = entries.reduce(start.count + end.count - separator.count) { $0 + $1.line.count + separator.count }
    var data = Data(count: size)
    data.withUnsafeMutableBytes { buffer in
      // Sound: the pieces have the size that was added up above. Appending them one by one takes several times as long.
      var rest = buffer[...]
      func put(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: rest).copyMemory(from: bytes)
        rest = rest.dropFirst(bytes.count)
      }
      start.withUnsafeBytes(put)
      for (index, entry) in entries.enumerated() {
        if index > 0 { separator.withUnsafeBytes(put) }
        entry.line.withUnsafeBytes(put)
      }
      end.withUnsafeBytes(put)
    }
    return data
  }

  /// Returns the entries sorted by name.
  ///
  /// - Complexity: O(*n* + *k* log *k*) for *k* names that the last contents did not have, if those were sorted.
  private func sorted(_ contents: SuiteContents) -> [SuiteEntry] {
    let (last, isSorted) = memory.withLock { ($0.last, $0.isSorted) }
    guard isSorted ?? Self.isSorted(last) else { return contents.entries.values.sorted { $0.name < $1.name } }
    var entries: [SuiteEntry] = []
    entries.reserveCapacity(contents.entries.count)
    for entry in last { if let now = contents[entry.name] { entries.append(now) } }
    if entries.count == contents.entries.count { return entries }
    let kept = Set(entries.map { ObjectIdentifier($0) })
    let new = contents.entries.values.filter { !kept.contains(ObjectIdentifier($0)) }.sorted { $0.name < $1.name }
    return Self.merged(entries, new)
  }

  private static func isSorted(_ entries: [SuiteEntry]) -> Bool {
    zip(entries, entries.dropFirst()).allSatisfy { $0.name < $1.name }
  }

  private static func merged(_ first: [SuiteEntry], _ second: [SuiteEntry]) -> [SuiteEntry] {
    var merged: [SuiteEntry] = []
    merged.reserveCapacity(first.count + second.count)
    var rest = second[...]
    for entry in first {
      while let next = rest.first, next.name < entry.name {
        merged.append(next)
        rest = rest.dropFirst()
      }
      merged.append(entry)
    }
    return merged + rest
  }

  private func decode(_ data: Data) throws -> SuiteContents {
    let (last, origin) = memory.withLock { ($0.last, $0.origin) }
    let members = try JSONMembers.read(data, known: last.map(\.line))
    lazy var known = Dictionary(last.map { ($0.name, $0) }) { $1 }
    var found: [SuiteEntry] = []
    var entries: [ExactString: SuiteEntry] = [:]
    found.reserveCapacity(members.count)
    entries.reserveCapacity(members.count)
    for member in members {
      let entry: SuiteEntry
      switch member {
      case .known(let index): entry = last[index]
      case .new(let name, let text):
        let new = SuiteEntry(ExactString(name), text: text)
        // In another position or layout, it may still be the same.
        entry = known[new.name].flatMap { $0 == new ? $0 : nil } ?? new
      }
      // If a name occurs twice, the last value counts, as it does for most programs.
      entries[entry.name] = entry
      found.append(entry)
    }
    remember(found, isSorted: nil)
    return SuiteContents(entries, url: url, origin: origin)
  }

  private func remember(_ entries: [SuiteEntry], isSorted: Bool?) {
    // Decoded values may run code when they are released.
    memory.replace { memory in
      memory.isSorted = isSorted
      return exchange(&memory.last, with: entries)
    }
  }
}
