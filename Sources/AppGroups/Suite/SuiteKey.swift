/// The name of a value in a suite, together with the value's type and what it is until somebody sets it.
///
/// Declare keys once, and neither the name nor the type can be mistaken anywhere else:
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
  /// What the value is called in the file; any string will do.
  public let name: String

  /// The value until somebody sets it.
  public let defaultValue: Value

  /// Makes a key.
  ///
  /// - Parameters:
  ///   - name: What the value is called in the file; any string will do. Names are compared byte by byte.
  ///   - defaultValue: The value until somebody sets it. It is never written. Use one default for each name.
  public init(_ name: String, default defaultValue: Value) {
    self.name = name
    self.defaultValue = defaultValue
  }
}
