import FileSignals
import Foundation
import Signals

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
  /// The values that are stored, or were read.
  private var snapshot: SuiteSnapshot

  /// The values that were changed in an update that has not ended; `nil` for a removed one.
  private var changes: [ExactString: SuiteEntry?] = [:]

  init(_ text: SuiteText = SuiteText(), url: URL, origin: Int = 0, isSealed: Bool) {
    snapshot = SuiteSnapshot(text, SuiteSnapshot.Place(url: url, origin: origin, isSealed: isSealed))
  }

  /// The file of the contents.
  var url: URL { snapshot.place.url }

  /// The number of switches of the scope before these contents were read.
  var origin: Int { snapshot.place.origin }

  /// A Boolean value that indicates whether the file is sealed, so that no error may quote a value.
  var isSealed: Bool { snapshot.place.isSealed }

  /// A number that is greater for contents that were read or stored later.
  var generation: UInt64 { snapshot.generation }

  /// Marks these as the latest contents of a file, even if they were derived from earlier contents or from another
  /// file.
  mutating func renew(_ place: SuiteSnapshot.Place) { snapshot = snapshot.with(place) }

  /// The text of all values.
  var text: SuiteText { snapshot.text(changes) }

  subscript(name: ExactString) -> SuiteEntry? {
    get { changes[name] ?? snapshot[name] }
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
    snapshot = snapshot.emptied
    changes = [:]
  }

  // MARK: Comparing

  /// Returns the names of the values that differ between the contents.
  ///
  /// - Complexity: O(*k*) for *k* changes since the other contents, if both have the same text of the file.
  func difference(from other: SuiteContents) -> Set<String> {
    guard isRelated(to: other) else { return Set(text.difference(from: other.text).map(\.text)) }
    let names = snapshot.overlay.names(differingFrom: other.snapshot.overlay)
    return Set(names.filter { self[$0] != other[$0] }.map(\.text))
  }

  /// Returns the numbers of the values that differ from those of earlier contents, or `nil` if they are too many.
  ///
  /// - Complexity: As for ``difference(from:)``.
  func changedParts(since other: SuiteContents) -> [UInt32]? {
    guard origin == other.origin, changes.isEmpty, other.changes.isEmpty else { return nil }
    let names =
      snapshot.base === other.snapshot.base
      ? snapshot.overlay.names(differingFrom: other.snapshot.overlay) : Array(text.difference(from: other.text))
    return names.count > Self.mostParts ? nil : names.map(Self.part(of:))
  }

  /// The number of changed values from which on all derived values are computed again.
  private static let mostParts = 64

  /// Returns the number of a value as a part of the contents, for ``/Signals/Property/depending(onPart:)``.
  static func part(of name: ExactString) -> UInt32 { UInt32(truncatingIfNeeded: name.hashValue) | 1 }

  /// Returns whether both are the same object, not only equal.
  func isSame(as other: SuiteContents) -> Bool { isRelated(to: other) && snapshot.hasSameValues(as: other.snapshot) }

  /// Returns whether both differ only in changes that were stored since the same text.
  fileprivate func isRelated(to other: SuiteContents) -> Bool {
    snapshot.base === other.snapshot.base && changes.isEmpty && other.changes.isEmpty
  }
}

// MARK: Storing

extension SuiteContents {
  /// The number of bytes of the text, without the changes of an update.
  var size: Int { snapshot.size }

  /// Returns the way to store these contents, and forgets changes without effect.
  mutating func step(after old: SuiteContents) -> Journaling<SuiteContents>.Step {
    guard snapshot.hasSameValues(as: old.snapshot) else { return .whole }
    for (name, entry) in changes where entry == snapshot[name] { changes.removeValue(forKey: name) }
    return changes.isEmpty ? .nothing : .record(SuiteOverlay.record(of: changes))
  }

  /// Adds the changes of an update that were stored beside the file.
  mutating func fold() {
    snapshot = snapshot.changing(changes.lazy.map { ($0.key, $0.value) }, in: snapshot.place)
    changes = [:]
  }

  /// Changes one value in contents that are about to be stored beside the file.
  ///
  /// - Parameters:
  ///   - name: The name of the value.
  ///   - entry: The value; `nil` removes it.
  ///   - place: The file.
  /// - Returns: `false` if that changes nothing.
  mutating func change(_ name: ExactString, to entry: SuiteEntry?, in place: SuiteSnapshot.Place) -> Bool {
    guard let changed = snapshot.changing(name, to: entry, in: place) else { return false }
    snapshot = changed
    return true
  }

  /// Adds the changes in the contents of records, and returns whether all of them are valid.
  ///
  /// - Parameters:
  ///   - records: The contents of the records, in order.
  ///   - place: The file.
  /// - Returns: `false` if a record does not contain changes.
  mutating func apply(_ records: [Data], in place: SuiteSnapshot.Place) -> Bool {
    var all: [SuiteOverlay.Change] = []
    var isValid = true
    for record in records {
      guard let changes = SuiteOverlay.changes(in: record) else {
        isValid = false
        continue
      }
      if all.isEmpty { all = changes } else { all += changes }
    }
    snapshot = snapshot.changing(all, in: place)
    return isValid
  }

  /// Turns all changes into text, which is about to be stored in the file.
  mutating func rebase(entries: SuiteEntries) {
    snapshot = snapshot.rebased(changes, entries)
    changes = [:]
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
