import Foundation
import Signals

/// Writes the contents of a suite as one JSON object, and reads them back without decoding any value.
///
/// It remembers the last contents, so that what has not changed need not be decoded again.
final class SuiteFormat: Sendable {
  private let url: URL
  private let lock = Lock()
  private nonisolated(unsafe) var last: [SuiteName: SuiteEntry] = [:]  // Sound: guarded by the lock.

  init(url: URL) {
    self.url = url
  }

  var format: FileFormat<SuiteContents> {
    FileFormat(encode: { self.encode($0) }, decode: { try self.decode($0) })
  }

  private func encode(_ contents: SuiteContents) -> Data {
    remember(contents.entries)
    guard !contents.isEmpty else { return Data("{}\n".utf8) }
    var data = Data()
    var separator = "{\n  "
    for (_, entry) in contents.entries.sorted(by: { $0.key < $1.key }) {
      data.append(contentsOf: separator.utf8)
      data.append(entry.line)
      separator = ",\n  "
    }
    data.append(contentsOf: "\n}\n".utf8)
    return data
  }

  private func decode(_ data: Data) throws -> SuiteContents {
    let last = lock.withLock { self.last }
    var entries: [SuiteName: SuiteEntry] = [:]
    // Of several with one name the last counts, as it does for most programs.
    for (name, text) in try JSONScanner.members(of: data) {
      let name = SuiteName(name)
      if let known = last[name], known.text == text {
        entries[name] = known
      } else {
        entries[name] = SuiteEntry(name, text: text)
      }
    }
    remember(entries)
    return SuiteContents(entries, url: url)
  }

  private func remember(_ entries: [SuiteName: SuiteEntry]) {
    var replaced = entries
    lock.withLock { swap(&last, &replaced) }
    // Released here, without the lock: what was decoded may run code as it goes.
    withExtendedLifetime(replaced) {}
  }
}
