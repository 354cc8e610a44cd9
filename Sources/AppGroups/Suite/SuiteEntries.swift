import FileSignals
import Signals

/// The values of a suite that were read so far, so that each is decoded once.
///
/// They stay when the text changes: a value belongs to each text that has its line.
final class SuiteEntries: Sendable {
  private struct Known {
    let entry: SuiteEntry
    /// The number of a text that has the entry, and the index of its line, or an index at which it may be in others.
    var number: UInt64
    var index: Int
  }

  private let known = Guarded<[ExactString: Known]>([:])

  /// Returns the value of a name, or `nil` if it is unknown whether the text has it.
  func find(_ name: ExactString, in text: SuiteText) -> SuiteEntry? {
    known.withLock { known in
      guard let found = known[name] else { return nil }
      if found.number == text.number { return found.entry }
      guard text.isLine(found.entry.line, at: found.index) else { return nil }
      known[name]?.number = text.number
      return found.entry
    }
  }

  /// Returns the value of a name that a text has.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - index: The index of its line.
  ///   - text: The text.
  /// - Returns: The value, which is the same object as before if the line is the same.
  func entry(_ name: ExactString, at index: Int, of text: SuiteText) -> SuiteEntry {
    // A copy, which does not keep the whole text in memory.
    var entry = SuiteEntry(name, line: [UInt8](text.line(at: index)))
    // Decoded values may run code when they are released.
    known.replace { known -> [SuiteEntry] in
      var old: [SuiteEntry] = []
      if let present = known[name]?.entry {
        if present == entry { entry = present } else { old.append(present) }
      } else if known.count > 2 * text.count + 16 {
        // Many of them belong to names that are no longer there.
        old = known.values.filter { $0.number != text.number }.map(\.entry)
        for entry in old { known[entry.name] = nil }
      }
      known[name] = Known(entry: entry, number: text.number, index: index)
      return old
    }
    return entry
  }

  /// Records that a text was changed.
  ///
  /// - Parameters:
  ///   - changes: The new value of each changed name; `nil` for a removed one.
  ///   - old: The text before.
  ///   - new: The text afterwards.
  func take(_ changes: [ExactString: SuiteEntry?], from old: SuiteText, to new: SuiteText) {
    known.replace { known -> [SuiteEntry] in
      var replaced: [SuiteEntry] = []
      for place in known.indices where known.values[place].number == old.number {
        known.values[place].number = new.number
      }
      for (name, entry) in changes {
        let present = known[name]
        if let present { replaced.append(present.entry) }
        if let entry, entry.isDecoded {
          known[name] = Known(entry: entry, number: new.number, index: present?.index ?? 0)
        } else if present != nil {
          // A later read finds the value in the text.
          known[name] = nil
        }
      }
      return replaced
    }
  }
}
