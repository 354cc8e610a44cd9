import FileSignals
public import Foundation

/// What became of values that a suite was to take over from `UserDefaults`.
public struct SuiteAdoption: Sendable, Hashable {
  /// The keys whose values the suite has taken over.
  public fileprivate(set) var adopted: Set<String> = []

  /// The keys for which the suite has a value already, which stays.
  public fileprivate(set) var kept: Set<String> = []

  /// The keys for which there is nothing to take over.
  public fileprivate(set) var missing: Set<String> = []

  /// The keys whose values JSON cannot hold, each with the reason.
  public fileprivate(set) var refused: [String: String] = [:]
}

extension AppGroupsSuite {
  /// Takes over values from `UserDefaults`, once: a key that the suite has already is left as it is.
  ///
  /// Call it each time the app starts, from whichever process comes first; the defaults are not changed, so an older
  /// version of the app still finds them.
  ///
  /// ```swift
  /// import AppGroups
  /// import Foundation
  ///
  /// let defaults = UserDefaults.standard
  /// defaults.set("dark", forKey: "theme")
  ///
  /// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  /// let suite = try AppGroupsSuite(name: "settings.json", container: AppGroupsContainer(directory: directory))
  /// let adoption = try suite.adopt(from: defaults, keys: ["theme", "size"])
  /// print(adoption.adopted, adoption.missing)  // Prints "["theme"] ["size"]"
  /// print(suite.value(for: SuiteKey("theme", default: "light")))  // Prints "dark"
  /// try FileManager.default.removeItem(at: directory)
  /// ```
  ///
  /// Values are written down as their types are read: a `Date` and `Data` as those, a number as any type of number that
  /// can hold it, an array or a dictionary as such. A `URL` is not taken over as one: `UserDefaults` keeps it in a form
  /// of its own, and on Linux without scheme and host.
  ///
  /// A key counts as adopted as long as the suite has a value for it. If you remove a value from the suite, remove it
  /// from the defaults too, or the next call takes it over again.
  ///
  /// > Note: A value that was registered with `register(defaults:)` is none to take over. Linux does not tell it from
  /// > one that was set, so there, call this before you register any.
  ///
  /// - Parameters:
  ///   - defaults: Where the values are.
  ///   - keys: Which to take over.
  /// - Returns: What became of each key.
  /// - Throws: ``AppGroupsFileError``; nothing has changed then.
  public func adopt(
    from defaults: UserDefaults, keys: some Sequence<String>
  ) throws(AppGroupsFileError) -> SuiteAdoption {
    var found: [SuiteEntry] = []
    var adoption = SuiteAdoption()
    let registered = defaults.volatileDomain(forName: UserDefaults.registrationDomain)
    for key in keys {
      guard let object = defaults.object(forKey: key), !Self.isSame(object, registered[key]) else {
        adoption.missing.insert(key)
        continue
      }
      do {
        found.append(try SuiteEntry(ExactString(key), text: PropertyListText.json(object)))
      } catch {
        adoption.refused[key] = String(describing: error)
      }
    }
    // Only values that are not there yet, as seen by whoever has the file to itself.
    try change { contents in
      for entry in found {
        guard contents[entry.name] == nil else {
          adoption.kept.insert(entry.name.text)
          continue
        }
        contents[entry.name] = entry
        adoption.adopted.insert(entry.name.text)
      }
    }
    return adoption
  }

  private static func isSame(_ object: Any, _ registered: Any?) -> Bool {
    guard let object = object as? AnyHashable, let registered = registered as? AnyHashable else { return false }
    return object == registered
  }
}
