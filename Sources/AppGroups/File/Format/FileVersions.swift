import Foundation

/// The types that a file's values have had, from the oldest that is still read to the present one, and how each becomes
/// the next.
///
/// When the type of a value changes, files of older versions of the program are still there, and older versions may
/// still run. Number the types, and say how to get from each to the next:
///
/// ```swift
/// import AppGroups
/// import Foundation
///
/// struct OldSettings: Codable, Sendable { var isDark: Bool }
/// struct Settings: Codable, Sendable { var theme: String }
///
/// let versions = FileVersions(OldSettings.self)
///   .migrating(to: Settings.self) { Settings(theme: $0.isDark ? "dark" : "light") }
///
/// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// let container = try AppGroupsContainer(directory: directory)
/// let old = try AppGroupsFile(
///   name: "settings.json", initialValue: OldSettings(isDark: true), container: container)
///
/// let settings = try AppGroupsFile(
///   name: "settings.json", initialValue: Settings(theme: "light"), container: container,
///   format: .versioned(versions))
/// print(settings.value.theme)  // Prints "dark"
/// try FileManager.default.removeItem(at: directory)
/// ```
///
/// - **On disk** the value is put into an object of two keys, `version` and `value`, which any program can read.
///   Content without them is of the version that `unversioned` says, so versions can be added to a file that had none.
/// - **Reading never writes.** An older value is decoded as what it was, and migrated in memory, step by step. The file
///   changes with the next `write` or `update`, which finds the migrated value.
/// - **A newer version is left alone.** Who reads one keeps the last good value, and is told with
///   ``AppGroupsFileError/newerVersion(_:found:supported:)``. `update` throws that, and overwrites only if told to; a
///   plain `write` replaces whatever there is, so prefer `update` as long as older versions of the program may run.
///
/// A type that was released must not change any more, other than in ways that old content allows, such as a new
/// optional property. Keep a copy of it under another name, and let the present type be the last of the chain.
public struct FileVersions<Value: Decodable & Sendable>: Sendable {
  /// The number of the version that `Value` is, the one that is written.
  public let current: Int

  /// The number of the version that content has which does not say one.
  public let unversioned: Int

  /// Makes a value from content of an older version.
  private typealias Migration = @Sendable (FileCoding, VersionPlace, Data) throws -> Value

  /// The way from each older version to a value.
  private let older: [Int: Migration]

  /// Begins a chain with the oldest version that is still read, which may be the only one.
  ///
  /// - Parameters:
  ///   - type: What the values of that version are.
  ///   - number: Its number.
  ///   - unversioned: The number of the version that content has which does not say one, because it was written before
  ///     there were versions.
  public init(_ type: Value.Type, startingAt number: Int = 1, unversioned: Int = 1) {
    self.init(current: number, unversioned: unversioned, older: [:])
  }

  private init(
    current: Int, unversioned: Int, older: [Int: Migration]
  ) {
    self.current = current
    self.unversioned = unversioned
    self.older = older
  }

  /// The number of the oldest version that is read.
  public var oldest: Int { current - older.count }

  /// Adds the next version.
  ///
  /// - Parameters:
  ///   - type: What the values of the next version are.
  ///   - migrate: Makes one of them from a value of this version. It may be called from any thread, several times for
  ///     one file, and must not depend on anything but its argument. What it throws reaches the user in
  ///     ``AppGroupsFileError/migrationFailed(_:from:to:reason:)``.
  /// - Returns: The longer chain.
  public func migrating<Next: Decodable & Sendable>(
    to type: Next.Type, _ migrate: @escaping @Sendable (Value) throws -> Next
  ) -> FileVersions<Next> {
    let current = current
    let step: @Sendable (Value) throws -> Next = { value in
      do {
        return try migrate(value)
      } catch {
        throw FileVersionError.migrationFailed(
          from: current, to: current + 1, reason: CodingReason.words(for: error))
      }
    }
    var older: [Int: FileVersions<Next>.Migration] = self.older.mapValues { decode in
      { coding, place, data in try step(decode(coding, place, data)) }
    }
    older[current] = { coding, place, data in try step(place.parse(Value.self, data, coding).content.get()) }
    return FileVersions<Next>(current: current + 1, unversioned: unversioned, older: older)
  }

  /// Makes a value from content of any version.
  func decode(_ data: Data, _ coding: FileCoding, _ place: VersionPlace) throws -> Value {
    let parsed = try place.parse(Value.self, data, coding)
    let found = parsed.version ?? unversioned
    if found == current { return try parsed.content.get() }
    if let decode = older[found] { return try decode(coding, place, data) }
    try FileVersionError.check(found, reads: oldest...current)
    return try parsed.content.get()
  }
}

extension FileFormat where Value: Codable {
  /// Values whose type has changed over time, written down together with the number of their version.
  ///
  /// See ``FileVersions`` for an example. Bytes and text of your own that carry a version can do the same: throw a
  /// ``FileVersionError`` from ``decode``.
  ///
  /// - Parameters:
  ///   - versions: The types, and how each becomes the next.
  ///   - coding: How they are written down. It must be the same for all versions.
  /// - Returns: The format.
  public static func versioned(_ versions: FileVersions<Value>, coding: FileCoding = .json) -> FileFormat {
    FileFormat(versions, coding, .besideValue)
  }

  /// Records whose version is one of their own keys, `version`, which their type does not have.
  ///
  /// Content without a version is damaged.
  ///
  /// - Parameters:
  ///   - versions: The types, which are encoded as objects, and how each becomes the next.
  ///   - coding: The notation, which must be the same for all versions.
  /// - Returns: The format.
  package static func record(_ versions: FileVersions<Value>, coding: FileCoding = .json) -> FileFormat {
    FileFormat(versions, coding, .amongKeys)
  }

  private init(_ versions: FileVersions<Value>, _ coding: FileCoding, _ place: VersionPlace) {
    self.init(
      isJSON: coding.isJSON,
      encode: { try place.encode($0, version: versions.current, coding) },
      decode: { try versions.decode($0, coding, place) }
    )
  }
}
