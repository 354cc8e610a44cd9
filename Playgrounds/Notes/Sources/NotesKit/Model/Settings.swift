public import SignalsKit

/// The settings of an environment: one small value in a file, which all processes read, change and observe.
public struct Settings: Codable, Hashable, Sendable {
  /// The sizes of text on the page.
  public enum TextSize: String, Codable, CaseIterable, Sendable {
    case small, medium, large
  }

  /// The size of text on the page.
  public var textSize = TextSize.medium
  /// A Boolean value that indicates whether the page shows the history.
  public var showsActivity = true

  /// Creates the settings of a new environment.
  public init() {}

  /// The format of the file, with a version from the first release on.
  ///
  /// A later release adds a step here, such as `.migrating(to: NewSettings.self) { … }`.
  public static let format = FileFormat<Settings>.versioned(FileVersions(Settings.self))
}
