import FileSignals
import Foundation
import Synchronization

/// The values of a suite at one moment: the text of its file, and the changes since then.
///
/// It is an object, because contents are copied often, and do not change in between.
final class SuiteSnapshot: Sendable {
  /// The file of contents.
  struct Place {
    var url: URL
    /// The number of switches of the scope before the contents were read.
    var origin: Int
    /// A Boolean value that indicates whether the file is sealed.
    var isSealed: Bool
  }

  let place: Place

  /// The text of the file, which may be older than the contents.
  let base: SuiteText

  /// The values that were changed since the text was stored.
  let overlay: SuiteOverlay

  /// The number of values, and the sum of the sizes of their lines.
  private let count: Int
  private let lineSize: Int

  /// A number that is greater for contents that were read or stored later.
  let generation = SuiteSnapshot.lastGeneration.wrappingAdd(1, ordering: .relaxed).newValue

  private static let lastGeneration = Atomic<UInt64>(0)

  private init(_ place: Place, _ base: SuiteText, _ overlay: SuiteOverlay, _ count: Int, _ lineSize: Int) {
    self.place = place
    self.base = base
    self.overlay = overlay
    self.count = count
    self.lineSize = lineSize
  }

  convenience init(_ text: SuiteText, _ place: Place) {
    self.init(place, text, SuiteOverlay(), text.count, text.lineSize)
  }

  /// The same values as the latest contents of a file.
  func with(_ place: Place) -> SuiteSnapshot { SuiteSnapshot(place, base, overlay, count, lineSize) }

  /// The contents without any value.
  var emptied: SuiteSnapshot { SuiteSnapshot(SuiteText(entries: base.entries), place) }

  /// The number of bytes of the text.
  var size: Int { SuiteText.size(of: count, lineSize: lineSize) }

  /// Returns the value of a name, or `nil` if there is none.
  subscript(name: ExactString) -> SuiteEntry? {
    if !overlay.isEmpty, let change = overlay[name] { return change }
    return base[name]
  }

  /// Returns whether both are the same values, not only equal ones.
  func hasSameValues(as other: SuiteSnapshot) -> Bool { base === other.base && overlay.isSame(as: other.overlay) }

  /// Returns the text of all values after further changes.
  func text(_ changes: [ExactString: SuiteEntry?]) -> SuiteText { base.changing(all(changes)) }

  private func all(_ changes: [ExactString: SuiteEntry?]) -> [ExactString: SuiteEntry?] {
    overlay.isEmpty ? changes : overlay.changes.merging(changes) { $1 }
  }

  // MARK: Changing

  /// Returns the contents after a change of one value, or `nil` if it changes nothing.
  func changing(_ name: ExactString, to entry: SuiteEntry?, in place: Place) -> SuiteSnapshot? {
    var (overlay, count, lineSize) = (overlay, count, lineSize)
    guard change(name, to: entry, &overlay, &count, &lineSize) else { return nil }
    return SuiteSnapshot(place, base, overlay, count, lineSize)
  }

  /// Returns the contents after changes that were stored beside the file.
  func changing(_ changes: some Sequence<SuiteOverlay.Change>, in place: Place) -> SuiteSnapshot {
    var (overlay, count, lineSize) = (overlay, count, lineSize)
    for (name, entry) in changes { change(name, to: entry, &overlay, &count, &lineSize) }
    return SuiteSnapshot(place, base, overlay, count, lineSize)
  }

  /// Changes one value, and returns whether it is another one now.
  ///
  /// The first change of a name compares it with its line in the text, which is not made an object for that.
  @discardableResult
  private func change(
    _ name: ExactString, to entry: SuiteEntry?, _ overlay: inout SuiteOverlay, _ count: inout Int,
    _ lineSize: inout Int
  ) -> Bool {
    let oldSize: Int?
    let isSame: Bool
    if let old = overlay.change(name, to: entry) {
      oldSize = old?.line.count
      isSame = old == entry
    } else if let index = base.index(of: name) {
      oldSize = base.range(at: index).count
      isSame = entry.map { base.isLine($0.line, at: index) } ?? false
    } else {
      oldSize = nil
      isSame = entry == nil
    }
    if isSame { return false }
    count += (entry == nil ? 0 : 1) - (oldSize == nil ? 0 : 1)
    lineSize += (entry?.line.count ?? 0) - (oldSize ?? 0)
    return true
  }

  /// Returns the contents with all changes in the text, which is about to be stored in the file.
  func rebased(_ changes: [ExactString: SuiteEntry?], _ entries: SuiteEntries) -> SuiteSnapshot {
    let changes = all(changes)
    let old = base.entries === entries ? base : SuiteText(base, entries: entries)
    let text = old.changing(changes)
    entries.take(changes, from: old, to: text)
    return SuiteSnapshot(text, place)
  }
}
