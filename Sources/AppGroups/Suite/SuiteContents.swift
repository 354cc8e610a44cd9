import FileSignals
import Foundation
import Signals
import Synchronization

/// A snapshot of all values of a suite, which ``AppGroupsSuite`` sends and the body of an update changes.
///
/// It has value semantics: its values always belong together, and a change affects only the copy, until an update
/// stores it.
///
/// ```swift
/// import AppGroups
/// import Foundation
///
/// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// let suite = try AppGroupsSuite(name: "accounts.json", container: AppGroupsContainer(directory: directory))
/// let savings = SuiteKey("savings", default: 100)
/// let pocket = SuiteKey("pocket", default: 0)
/// try suite.update { contents in
///   try contents.set(contents.value(for: savings) - 30, for: savings)
///   try contents.set(contents.value(for: pocket) + 30, for: pocket)
/// }
/// print(suite.value.keys)  // Prints "["pocket", "savings"]"
/// try suite.synchronize()
/// try FileManager.default.removeItem(at: directory)
/// ```
///
/// Values are kept as their text in the file. Values that a program does not know or cannot represent stay unchanged,
/// including every digit of a number.
public struct SuiteContents: Sendable {
  /// The file of the contents.
  private(set) var url: URL

  /// The text of the file, which may be older than the contents.
  private var base: SuiteText

  /// The values that were changed since the text was stored.
  private var overlay = SuiteOverlay()

  /// The values that were changed in an update that has not ended; `nil` for a removed one.
  private var changes: [ExactString: SuiteEntry?] = [:]

  /// The number of values, and the sum of the sizes of their lines, without the changes of an update.
  private var count: Int
  private var lineSize: Int

  /// The number of switches of the scope before these contents were read.
  private(set) var origin = 0

  /// A Boolean value that indicates whether the file is sealed, so that no error may quote a value.
  private(set) var isSealed: Bool

  /// A number that is greater for contents that were read or stored later.
  private(set) var generation: UInt64

  private static let lastGeneration = Atomic<UInt64>(0)

  init(_ text: SuiteText = SuiteText(), url: URL, origin: Int = 0, isSealed: Bool) {
    base = text
    (count, lineSize) = (text.count, text.lineSize)
    self.origin = origin
    self.url = url
    self.isSealed = isSealed
    generation = Self.nextGeneration()
  }

  private static func nextGeneration() -> UInt64 {
    lastGeneration.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Marks these as the latest contents of a file, even if they were derived from earlier contents or from another
  /// file.
  mutating func renew(url: URL, origin: Int, isSealed: Bool) {
    self.url = url
    self.isSealed = isSealed
    self.origin = origin
    generation = Self.nextGeneration()
  }

  /// The text of all values.
  var text: SuiteText { base.changing(allChanges) }

  /// All changes since the text of the file.
  private var allChanges: [ExactString: SuiteEntry?] {
    overlay.isEmpty ? changes : overlay.changes.merging(changes) { $1 }
  }

  subscript(name: ExactString) -> SuiteEntry? {
    get { changes[name] ?? stored(name) }
    set { changes.updateValue(newValue, forKey: name) }
  }

  /// The names of all values, in order.
  public var keys: [String] { text.names.map(\.text) }

  /// Returns whether there is a value of any type for a key.
  public func contains(_ key: String) -> Bool { self[ExactString(key)] != nil }

  // MARK: Reading

  /// Returns the value of a key.
  ///
  /// - Parameters:
  ///   - key: The name of the value.
  ///   - type: The type of the value.
  /// - Returns: The value, or `nil` if there is none. A `null` counts as no value, unless the type can represent it.
  /// - Throws: ``AppGroupsFileError/undecodableValue(_:key:type:reason:)`` if the value is of another type.
  public func value<Item: Codable & Sendable>(
    forKey key: String, as type: Item.Type = Item.self
  ) throws(AppGroupsFileError) -> Item? {
    guard let entry = self[ExactString(key)] else { return nil }
    return try entry.item(as: type, key: key, url: url, isSealed: isSealed)
  }

  /// Returns the value of a typed key, or its default if there is none.
  ///
  /// Defaults that are registered with the suite do not count here.
  ///
  /// - Parameter key: The key.
  /// - Returns: The value, or the key's default.
  /// - Throws: ``AppGroupsFileError/undecodableValue(_:key:type:reason:)`` if the value is not of the key's type.
  public func value<Item>(for key: SuiteKey<Item>) throws(AppGroupsFileError) -> Item {
    try value(forKey: key.name) ?? key.defaultValue
  }

  // MARK: Changing

  /// Sets the value of a key.
  ///
  /// - Parameters:
  ///   - value: The value; `nil` removes it.
  ///   - key: The name of the value; any string is allowed.
  /// - Throws: ``AppGroupsFileError/unencodableValue(_:key:type:reason:)`` if JSON cannot represent the value, such as
  ///   an infinite number.
  public mutating func set<Item: Codable & Sendable>(
    _ value: Item?, forKey key: String
  ) throws(AppGroupsFileError) {
    self[ExactString(key)] = try value.map { value throws(AppGroupsFileError) in
      try SuiteEntry.encoding(value, key: key, url: url)
    }
  }

  /// Sets the value of a typed key.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key.
  /// - Throws: ``AppGroupsFileError/unencodableValue(_:key:type:reason:)`` if JSON cannot represent the value, such as
  ///   an infinite number.
  public mutating func set<Item>(_ value: Item, for key: SuiteKey<Item>) throws(AppGroupsFileError) {
    self[ExactString(key.name)] = try SuiteEntry.encoding(value, key: key.name, url: url)
  }

  /// Removes the value of a key, if there is one.
  ///
  /// - Parameter key: The name of the value.
  public mutating func removeValue(forKey key: String) {
    self[ExactString(key)] = nil
  }

  /// Removes all values, including values of unknown keys.
  public mutating func removeAll() {
    base = SuiteText(entries: base.entries)
    overlay = SuiteOverlay()
    changes = [:]
    (count, lineSize) = (0, 0)
  }

  // MARK: Comparing

  /// Returns the names of the values that differ between the contents.
  ///
  /// - Complexity: O(*k*) for *k* changes since the other contents, if both have the same text of the file.
  func difference(from other: SuiteContents) -> Set<String> {
    guard isRelated(to: other) else { return Set(text.difference(from: other.text).map(\.text)) }
    return Set(overlay.names(differingFrom: other.overlay).filter { self[$0] != other[$0] }.map(\.text))
  }

  /// Returns the numbers of the values that differ from those of earlier contents, or `nil` if they are too many.
  ///
  /// - Complexity: As for ``difference(from:)``.
  func changedParts(since other: SuiteContents) -> [UInt32]? {
    guard origin == other.origin, changes.isEmpty, other.changes.isEmpty else { return nil }
    let names =
      base === other.base
      ? overlay.names(differingFrom: other.overlay) : Array(text.difference(from: other.text))
    return names.count > Self.mostParts ? nil : names.map(Self.part(of:))
  }

  /// The number of changed values from which on all derived values are computed again.
  private static let mostParts = 64

  /// Returns the number of a value as a part of the contents, for ``/Signals/Property/depending(onPart:)``.
  static func part(of name: ExactString) -> UInt32 { UInt32(truncatingIfNeeded: name.hashValue) | 1 }

  /// Returns whether both are the same object, not only equal.
  func isSame(as other: SuiteContents) -> Bool { isRelated(to: other) && overlay.isSame(as: other.overlay) }

  /// Returns whether both differ only in changes that were stored since the same text.
  fileprivate func isRelated(to other: SuiteContents) -> Bool {
    base === other.base && changes.isEmpty && other.changes.isEmpty
  }
}

// MARK: Storing

extension SuiteContents {
  /// The number of bytes of the text.
  var size: Int { SuiteText.size(of: count, lineSize: lineSize) }

  private func stored(_ name: ExactString) -> SuiteEntry? {
    if !overlay.isEmpty, let change = overlay[name] { return change }
    return base[name]
  }

  /// Returns the way to store these contents, and forgets changes without effect.
  mutating func step(after old: SuiteContents) -> Journaling<SuiteContents>.Step {
    guard base === old.base, overlay.isSame(as: old.overlay) else { return .whole }
    for (name, entry) in changes where entry == stored(name) { changes.removeValue(forKey: name) }
    return changes.isEmpty ? .nothing : .record(SuiteOverlay.record(of: changes))
  }

  /// Adds the changes of an update that were stored beside the file.
  mutating func fold() {
    for (name, entry) in changes { change(name, to: entry) }
    changes = [:]
  }

  /// Adds the changes in the contents of records, and returns whether all of them are valid.
  mutating func apply(_ records: [Data]) -> Bool {
    var areValid = true
    for record in records {
      guard let changes = SuiteOverlay.changes(in: record) else {
        areValid = false
        continue
      }
      for (name, entry) in changes { change(name, to: entry) }
    }
    return areValid
  }

  private mutating func change(_ name: ExactString, to entry: SuiteEntry?) {
    let old = stored(name)
    count += (entry == nil ? 0 : 1) - (old == nil ? 0 : 1)
    lineSize += (entry?.line.count ?? 0) - (old?.line.count ?? 0)
    overlay[name] = .some(entry)
  }

  /// Turns all changes into text, which is about to be stored in the file.
  mutating func rebase(entries: SuiteEntries) {
    let changes = allChanges
    let old = base.entries === entries ? base : SuiteText(base, entries: entries)
    base = old.changing(changes)
    entries.take(changes, from: old, to: base)
    overlay = SuiteOverlay()
    self.changes = [:]
    (count, lineSize) = (base.count, base.lineSize)
  }

  /// Returns the names of the changes in the contents of records that are not in these contents.
  func missing(_ records: [Data]) -> [String] {
    var last: [ExactString: SuiteEntry?] = [:]
    for record in records {
      for (name, entry) in SuiteOverlay.changes(in: record) ?? [] { last.updateValue(entry, forKey: name) }
    }
    return last.filter { self[$0.key] != $0.value }.map(\.key.text).sorted()
  }
}

extension SuiteContents: Equatable {
  /// Returns whether both have the same keys with the same stored values.
  public static func == (first: SuiteContents, second: SuiteContents) -> Bool {
    if first.isRelated(to: second) { return first.difference(from: second).isEmpty }
    let (first, second) = (first.text, second.text)
    return first.number == second.number || first.data == second.data
  }
}
