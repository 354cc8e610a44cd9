import FileSignals
import Foundation
import Signals

/// Encodes the contents of a suite as one JSON object, and splits such an object without decoding any value.
///
/// It remembers the last contents, so that unchanged values are neither read nor decoded again.
final class SuiteFormat: Sendable {
  private let url: URL
  private let entries = SuiteEntries()

  private struct Memory {
    /// The text that was last read or written.
    var last: SuiteText
    var origin = 0
  }

  private let memory: Guarded<Memory>

  init(url: URL) {
    self.url = url
    memory = Guarded(Memory(last: SuiteText(entries: entries)))
  }

  var format: FileFormat<SuiteContents> {
    FileFormat(
      encode: { contents in
        let text = contents.text
        self.remember(text)
        return text.data
      },
      decode: { try self.decode($0) })
  }

  /// Forgets the last contents, because another file is read from now on.
  func beginAnew() {
    memory.withLock { $0.origin += 1 }
  }

  /// The use of a journal for the contents.
  var journaling: Journaling<SuiteContents> {
    Journaling(
      step: { $0.step(after: $1) },
      fold: { $0.fold() },
      rebase: { $0.rebase(entries: self.entries) },
      apply: { records, contents in
        self.renew(&contents)
        return contents.apply(records)
      },
      areSame: { $0 == $1 },
      size: { $0.size },
      missing: { $1.missing($0) })
  }

  /// Marks contents that are about to be stored as the latest contents of the file.
  func renew(_ contents: inout SuiteContents) {
    contents.renew(url: url, origin: memory.withLock { $0.origin })
  }

  private func decode(_ data: Data) throws -> SuiteContents {
    let (last, origin) = memory.withLock { ($0.last, $0.origin) }
    let text = try SuiteText.read(data, after: last)
    remember(text)
    return SuiteContents(text, url: url, origin: origin)
  }

  private func remember(_ text: SuiteText) {
    memory.replace { exchange(&$0.last, with: text) }
  }
}
