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
/// try FileManager.default.removeItem(at: directory)
/// ```
///
/// Values are kept as their text in the file. Values that a program does not know or cannot represent stay unchanged,
/// including every digit of a number.
public struct SuiteContents: Sendable {
  /// The file of the contents.
  private(set) var url: URL

  /// The text without the changes of an update that has not ended.
  private var base: SuiteText

  /// The values that were changed in the update so far; `nil` for a removed one.
  private var changes: [ExactString: SuiteEntry?] = [:]

  /// The number of switches of the scope before these contents were read.
  private(set) var origin = 0

  /// A number that is greater for contents that were read or stored later.
  private(set) var generation: UInt64

  private static let lastGeneration = Atomic<UInt64>(0)

  init(_ text: SuiteText = SuiteText(), url: URL, origin: Int = 0) {
    base = text
    self.origin = origin
    self.url = url
    generation = Self.nextGeneration()
  }

  private static func nextGeneration() -> UInt64 {
    lastGeneration.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Marks these as the latest contents of a file, even if they were derived from earlier contents or from another
  /// file.
  mutating func renew(url: URL, origin: Int, entries: SuiteEntries) {
    let old = base.entries === entries ? base : SuiteText(base, entries: entries)
    base = old.changing(changes)
    entries.take(changes, from: old, to: base)
    changes = [:]
    self.url = url
    self.origin = origin
    generation = Self.nextGeneration()
  }

  /// The text of all values.
  var text: SuiteText { base.changing(changes) }

  subscript(name: ExactString) -> SuiteEntry? {
    get { changes[name] ?? base[name] }
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
    return try entry.item(as: type, key: key, url: url)
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
    changes = [:]
  }

  // MARK: Comparing

  /// Returns the names of the values that differ between the contents.
  func difference(from other: SuiteContents) -> Set<String> {
    Set(text.difference(from: other.text).map(\.text))
  }
}

extension SuiteContents: Equatable {
  /// Returns whether both have the same keys with the same stored values.
  public static func == (first: SuiteContents, second: SuiteContents) -> Bool {
    let (first, second) = (first.text, second.text)
    return first.number == second.number || first.data == second.data
  }
}
