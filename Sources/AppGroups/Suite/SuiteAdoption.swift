import FileSignals
public import Foundation
import StrictJSON

/// The result of adopting values from `UserDefaults` or MMKV.
public struct SuiteAdoption: Sendable, Hashable {
  /// The keys whose values were copied to the suite.
  public internal(set) var adopted: Set<String> = []

  /// The keys that already had a value in the suite, which was kept.
  public internal(set) var kept: Set<String> = []

  /// The keys without a value in the source.
  public internal(set) var missing: Set<String> = []

  /// The keys whose values cannot be represented in the suite, each with the reason.
  public internal(set) var refused: [String: String] = [:]
}

extension AppGroupsSuite {
  /// Copies values from `UserDefaults` for keys that the suite does not have yet.
  ///
  /// Call it each time the app starts, in any process. The defaults are not changed, so an older version of the app
  /// still finds its values.
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
  /// print(suite.preference("theme", default: "light").value)  // Prints "dark"
  /// try FileManager.default.removeItem(at: directory)
  /// ```
  ///
  /// A `Date`, `Data`, array or dictionary can be read from the suite as the same type, and a number as any numeric
  /// type that can represent it. A `URL` cannot: `UserDefaults` stores it in a private form, on Linux without scheme
  /// and host.
  ///
  /// If you remove an adopted value from the suite, remove it from the defaults too. Otherwise the next call copies it
  /// again.
  ///
  /// > Note: Values that are registered with `register(defaults:)` are not copied. On Linux they cannot be
  /// > distinguished from values that were set, so call this method before you register any.
  ///
  /// - Parameters:
  ///   - defaults: The source of the values.
  ///   - keys: The keys to copy.
  /// - Returns: The result for each key.
  /// - Throws: ``AppGroupsFileError``; then nothing has changed.
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
    try add(found, &adoption)
    return adoption
  }

  /// Copies values in one change, only those that are missing, as determined under the lock of the file.
  func add(_ found: [SuiteEntry], _ adoption: inout SuiteAdoption) throws(AppGroupsFileError) {
    try change { contents in
      for entry in found {
        guard contents[entry.name] == nil else {
          adoption.kept.insert(entry.name.text)
          continue
        }
        contents[entry.name] = entry
        adoption.adopted.insert(entry.name.text)
      }
    }.get()
  }

  private static func isSame(_ object: Any, _ registered: Any?) -> Bool {
    guard let object = object as? AnyHashable, let registered = registered as? AnyHashable else { return false }
    return object == registered
  }
}

/// Encodes the property list values of `UserDefaults` in the same way as `JSONEncoder`.
enum PropertyListText {
  /// The reason why a value cannot be written.
  struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  /// Returns the JSON text of a value, in the layout of a member.
  static func json(_ object: Any) throws -> Data {
    // Inside an array, because some versions of Foundation do not write a single value.
    let array = try JSONSerialization.data(withJSONObject: [try plain(object)], options: .withoutEscapingSlashes)
    return try JSONReader.memberText(of: array.dropFirst().dropLast())
  }

  /// Returns the value as an object that JSON can represent.
  private static func plain(_ object: Any) throws -> Any {
    switch object {
    case let string as String: return string
    case let data as Data: return data.base64EncodedString()
    case let date as Date: return date.timeIntervalSinceReferenceDate
    case let array as [Any]: return try array.map(plain)
    case let dictionary as [String: Any]: return try dictionary.mapValues(plain)
    case let number as NSNumber:
      guard number.doubleValue.isFinite else {
        throw Refusal(description: "JSON cannot represent the number \(number)")
      }
      return number
    default: throw Refusal(description: "JSON cannot represent a value of type \(type(of: object))")
    }
  }
}
