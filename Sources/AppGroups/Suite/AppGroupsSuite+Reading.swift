import FileSignals
public import Signals

extension AppGroupsSuite {
  /// The names of all values that are stored, in order.
  public var keys: [String] { value.keys }

  /// Whether a value is stored for a key, of whatever type; registered defaults do not count.
  public func contains(_ key: String) -> Bool { value.contains(key) }

  /// The value of a key.
  ///
  /// It is decoded the first time and remembered; after that, reading takes a fraction of a microsecond. To read it
  /// again and again, use ``preference(_:default:)``, which need not look for the name.
  ///
  /// - Parameters:
  ///   - key: The value's name.
  ///   - type: What the value is to be.
  /// - Returns: The value, or else the one that is registered, or `nil`. A stored `null` counts as none, unless the
  ///   type can hold it.
  /// - Throws: ``AppGroupsFileError/undecodableValue(_:key:type:reason:)`` if the value is none of the type.
  public func value<Item: Codable & Sendable>(
    forKey key: String, as type: Item.Type = Item.self
  ) throws(AppGroupsFileError) -> Item? {
    let name = ExactString(key)
    guard let entry = value[name] ?? defaults.value[name] else { return nil }
    return try entry.item(as: type, key: key, url: url)
  }

  /// The value of a typed key.
  ///
  /// - Parameter key: The key.
  /// - Returns: The value, or else the one that is registered, or the key's default; also if the value is none of the
  ///   key's type, of which ``failures`` tells.
  public func value<Item>(for key: SuiteKey<Item>) -> Item {
    let name = ExactString(key.name)
    guard let entry = value[name] ?? defaults.value[name] else { return key.defaultValue }
    do throws(AppGroupsFileError) {
      return try entry.item(as: Item.self, key: key.name, url: url) ?? key.defaultValue
    } catch {
      report(error, of: entry, as: Item.self)
      return key.defaultValue
    }
  }

  /// What is stored at this moment.
  ///
  /// ``value`` is what one usually wants; this serves those who must know what is on disk. It takes no lock.
  ///
  /// - Returns: The contents of the file, which ``value`` may not have caught up with.
  /// - Throws: ``AppGroupsFileError`` if there is no content that can be used.
  public func read() throws(AppGroupsFileError) -> SuiteContents {
    try engine.read()
  }

  // MARK: Observing

  /// The value of a key, as a signal: the current one at once, then each change, whichever process makes it.
  ///
  /// Changes of other keys are not sent, nor is the same value laid out in another way. To tell a missing value from
  /// one of another type, use ``preference(_:default:)`` and its ``SuiteValue/status``.
  ///
  /// - Parameters:
  ///   - key: The value's name.
  ///   - type: What the value is to be.
  /// - Returns: A signal of the value, of the one that is registered if none is stored, or of `nil` if there is
  ///   neither, or if the value is none of the type, of which ``failures`` tells.
  public func signal<Item: Codable & Sendable>(
    forKey key: String, as type: Item.Type = Item.self
  ) -> some Signal<Item?, Never> {
    let name = ExactString(key)
    let entries = Property.derived(property, defaults) { contents, defaults in contents[name] ?? defaults[name] }
    // The closure keeps the suite, and with it the watch, for as long as somebody listens.
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

  /// The value of a typed key, as a signal: the current one at once, then each change, whichever process makes it.
  ///
  /// - Parameter key: The key.
  /// - Returns: A signal of the value, or of the key's default while there is none. If what is stored is none of the
  ///   key's type, the last good value stands, and ``failures`` tells.
  public func signal<Item>(for key: SuiteKey<Item>) -> some Signal<Item, Never> {
    let preference = preference(for: key)
    return KeptSignal(upstream: preference.property, owner: preference)
  }

  /// The names of the values that change, are added or removed, each time some are, by whichever process.
  ///
  /// What is changed by one update comes in one set. Changes that follow one another quickly may come in one, too.
  public var changes: some Signal<Set<String>, Never> {
    property.scan(SuiteChange()) { last, contents in
      SuiteChange(contents: contents, keys: last.contents.map(contents.difference) ?? [])
    }
    .map(\.keys)
    .filter { !$0.isEmpty }
  }

  /// What came of comparing contents with those before.
  private struct SuiteChange: Sendable {
    var contents: SuiteContents?
    var keys: Set<String> = []
  }

  // MARK: Defaults

  /// Registers what is to be read for keys that have no value.
  ///
  /// Nothing is written, and no other object of the same suite is concerned. What was registered before stays, except
  /// for these keys. A registered default comes before that of a ``SuiteKey``.
  ///
  /// - Parameter values: The defaults by key.
  /// - Throws: ``AppGroupsFileError/unencodableValue(_:key:type:reason:)`` if JSON cannot hold one; none is registered
  ///   then.
  public func register(defaults values: [String: any Codable & Sendable]) throws(AppGroupsFileError) {
    var added: [ExactString: SuiteEntry] = [:]
    for (key, value) in values { added[ExactString(key)] = try SuiteEntry.encoding(value, key: key, url: url) }
    defaults.modify { $0.merge(added) { $1 } }
  }
}
