import FileSignals
import Foundation
import Signals

/// Encodes the contents of a suite as one JSON object, and splits such an object without decoding any value.
///
/// It remembers the last contents, so that unchanged values are neither read nor decoded again.
final class SuiteFormat: Sendable {
  private let url: URL

  private struct Memory {
    /// The entries that were last read or written, in order.
    var last: [SuiteEntry] = []
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
    let entries = contents.entries.values.sorted { $0.name < $1.name }
    remember(entries)
    guard !entries.isEmpty else { return Data("{}\n".utf8) }
    var data = Data()
    data.reserveCapacity(entries.reduce(8) { $0 + $1.line.count + 4 })
    let separator = Data(",\n  ".utf8)
    data.append(contentsOf: "{\n  ".utf8)
    for (index, entry) in entries.enumerated() {
      if index > 0 { data.append(separator) }
      data.append(entry.line)
    }
    data.append(contentsOf: "\n}\n".utf8)
    return data
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
    remember(found)
    return SuiteContents(entries, url: url, origin: origin)
  }

  private func remember(_ entries: [SuiteEntry]) {
    // Decoded values may run code when they are released.
    memory.replace { exchange(&$0.last, with: entries) }
  }
}
