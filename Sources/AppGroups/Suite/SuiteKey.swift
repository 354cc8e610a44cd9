/// The name of a value in a suite, with its type and default.
///
/// Declare each key once, so that its name and type are right everywhere:
///
/// ```swift
/// import AppGroups
/// import Foundation
///
/// extension SuiteKey where Value == Double {
///   static var fontSize: SuiteKey { SuiteKey("fontSize", default: 12) }
/// }
///
/// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// let suite = try AppGroupsSuite(name: "settings.json", container: AppGroupsContainer(directory: directory))
/// print(suite.value(for: .fontSize))  // Prints "12.0"
/// try suite.set(14, for: .fontSize)
/// print(suite.value(for: .fontSize))  // Prints "14.0"
/// try FileManager.default.removeItem(at: directory)
/// ```
public struct SuiteKey<Value: Codable & Sendable>: Sendable {
  /// The name of the value in the file; any string is allowed.
  public let name: String

  /// The value until one is set.
  public let defaultValue: Value

  /// Creates a key.
  ///
  /// - Parameters:
  ///   - name: The name of the value in the file; any string is allowed. Names are compared byte by byte.
  ///   - defaultValue: The value until one is set. It is never written. Use one default for each name.
  public init(_ name: String, default defaultValue: Value) {
    self.name = name
    self.defaultValue = defaultValue
  }
}
