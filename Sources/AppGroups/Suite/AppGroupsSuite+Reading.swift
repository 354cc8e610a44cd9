import FileSignals
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
    return try entry.item(as: type, key: key, url: url)
  }

  /// Reads the file.
  ///
  /// Usually ``value`` is enough; this method is for code that must know the content on disk. It takes no lock. So in
  /// the middle of a switch of environments it finds no file, and throws ``AppGroupsFileError/missing(_:)``.
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
    // The closure keeps the suite, and with it the observation, as long as there is a subscriber.
    return entries.map { [self] entry -> Item? in
      guard let entry else { return nil }
      do throws(AppGroupsFileError) {
        return try entry.item(as: type, key: key, url: url)
      } catch {
        report(error, of: entry, as: type)
        return nil
      }
    }
  }

  /// The names of the values that are changed, added or removed, by any process.
  ///
  /// The names of one update come in one set. Changes in quick succession may share a set, too.
  public var changes: some Signal<Set<String>, Never> {
    property.scan(SuiteChange()) { last, contents in
      SuiteChange(contents: contents, keys: last.contents.map(contents.difference) ?? [])
    }
    .map(\.keys)
    .filter { !$0.isEmpty }
  }

  /// The result of comparing contents with the previous ones.
  private struct SuiteChange: Sendable {
    var contents: SuiteContents?
    var keys: Set<String> = []
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
