public import FileSignals
public import Signals

extension AppGroupsSuite {
  /// The names of all stored values, in order.
  package var keys: [String] { value.keys }

  /// Returns the value of a key.
  ///
  /// The value is decoded once; later reads take a fraction of a microsecond. For repeated reads, use
  /// ``preference(_:default:)``, which does not have to look up the name.
  ///
  /// - Parameters:
  ///   - key: The name of the value.
  ///   - type: The type of the value.
  /// - Returns: The stored value, or else the registered one, or `nil`. A stored `null` counts as no value, unless the
  ///   type can represent it.
  /// - Throws: ``AppGroupsFileError/undecodableValue(_:key:type:reason:)`` if the stored value is of another type.
  public func value<Item: Codable & Sendable>(
    forKey key: String, as type: Item.Type = Item.self
  ) throws(AppGroupsFileError) -> Item? {
    let name = ExactString(key)
    guard let entry = value[name] ?? defaults.value[name] else { return nil }
    return try entry.item(as: type, key: key, url: url, isSealed: format.isSealed)
  }

  /// Reads the file.
  ///
  /// Usually ``value`` is enough; this method is for code that must know the content on disk. It does not wait for
  /// writers. In a scope, it waits until a switch of environments is complete, or undone if its process was killed.
  ///
  /// - Returns: The contents of the file, which may be newer than ``value``.
  /// - Throws: ``AppGroupsFileError`` if the file has no usable content.
  public func read() throws(AppGroupsFileError) -> SuiteContents {
    try engine.read()
  }

  // MARK: Observing

  /// Returns a signal of the value of a key: the current one at once, then each change by any process.
  ///
  /// Changes of other keys are not sent, nor is the same value in another layout. To distinguish a missing value from one
  /// of another type, use ``preference(_:default:)`` and its ``SuiteValue/status``.
  ///
  /// - Parameters:
  ///   - key: The name of the value.
  ///   - type: The type of the value.
  /// - Returns: A signal of the stored value, or of the registered one if none is stored, or of `nil`. A stored value of
  ///   another type is sent as `nil`, and ``failures`` reports it.
  public func signal<Item: Codable & Sendable>(
    forKey key: String, as type: Item.Type = Item.self
  ) -> some Signal<Item?, Never> {
    let name = ExactString(key)
    let entries = Property.derived(property, defaults) { contents, defaults in contents[name] ?? defaults[name] }
      .depending(onPart: SuiteContents.part(of: name))
    // The closure keeps the suite, and with it the observation, as long as there is a subscriber.
    return entries.map { [self] entry -> Item? in
      guard let entry else { return nil }
      do throws(AppGroupsFileError) {
        return try entry.item(as: type, key: key, url: url, isSealed: format.isSealed)
      } catch {
        report(error, of: entry, as: type)
        return nil
      }
    }
  }

  /// The changes of values by any process, with the old and the new contents.
  ///
  /// They are in order and without a gap: the old contents are the new ones of the previous change. Those of the first
  /// change are the contents at the moment of the subscription. All that one update changes comes together, and changes
  /// in quick succession may come together, too. Defaults that are registered do not count.
  ///
  /// - Complexity: O(*k*) for *k* changed values. If a program without this package has replaced the file, O(*n*) for all
  ///   values. No value is decoded.
  public var changes: some Signal<SuiteChange, Never> {
    property.scan(SuiteChange?.none) { [engine] last, contents in
      guard let last else { return SuiteChange(keys: [], old: contents, new: contents, provenance: nil) }
      let keys = contents.difference(from: last.new)
      let provenance = keys.isEmpty ? nil : engine.provenance { $0.isSame(as: contents) }
      return SuiteChange(keys: keys, old: last.new, new: contents, provenance: provenance)
    }
    .compactMap { $0 }
    .filter { !$0.keys.isEmpty }
  }

  // MARK: Defaults

  /// Registers defaults for keys without a stored value.
  ///
  /// Nothing is written, and other objects of the same suite are not affected. Earlier defaults stay, except for these
  /// keys. A registered default takes precedence over the default of a ``SuiteKey``.
  ///
  /// - Parameter values: The defaults by key.
  /// - Throws: ``AppGroupsFileError/unencodableValue(_:key:type:reason:)`` if JSON cannot represent a value; then none is
  ///   registered.
  public func register(defaults values: [String: any Codable & Sendable]) throws(AppGroupsFileError) {
    var added: [ExactString: SuiteEntry] = [:]
    for (key, value) in values { added[ExactString(key)] = try SuiteEntry.encoding(value, key: key, url: url) }
    defaults.modify { $0.merge(added) { $1 } }
  }
}

/// A change of a suite, which ``AppGroupsSuite/changes`` sends.
public struct SuiteChange: Sendable {
  /// The names of the values that were changed, added or removed.
  public let keys: Set<String>

  /// The contents before the change.
  public let old: SuiteContents

  /// The contents after the change.
  public let new: SuiteContents

  /// The process that made the contents after the change, with time and cause; `nil` if it is unknown, see
  /// ``AppGroupsSuite/provenance``.
  ///
  /// If changes of several processes come together, it is the last one.
  public let provenance: Provenance?
}
