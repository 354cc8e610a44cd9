public import Foundation

/// The versions of a value's type, from the oldest that is still read to the current one, and the migrations between
/// them.
///
/// When the type of a value changes, files of older versions of the program still exist, and older versions of the
/// program may still run. Number the types, and migrate each to the next:
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
/// - **Content.** The file contains an object with two keys, `version` and `value`, which any program can read. Content
///   without them has the version `unversioned`, so you can add versions to an existing file.
/// - **Reading never writes.** An older value is decoded as its own type, and migrated in memory, step by step. The
///   file changes with the next `write` or `update`, which receives the migrated value.
/// - **Newer versions are kept.** If the content has a newer version, the last good value stays, and
///   ``AppGroupsFileError/newerVersion(_:found:supported:)`` is reported. `update` throws this error, unless it is
///   called with `overwriting: true`. A plain `write` replaces any content, so prefer `update` while older versions of
///   the program may run.
///
/// Do not change a type that has been released. Keep a copy of it under another name, and add the current type at the
/// end of the chain. A type with a new optional property can decode old content without a new version. But an older
/// program that is still in use, such as an extension, drops the unknown property when it updates the value. Only a new
/// version prevents that.
public struct FileVersions<Value: Decodable & Sendable>: Sendable {
  /// The version of `Value`, which is written.
  public let current: Int

  /// The version of content that does not contain a version.
  let unversioned: Int

  /// Decodes a value from content of an older version.
  private typealias Migration = @Sendable (FileCoding, VersionPlace, Data) throws -> Value

  /// The migrations, by the older version.
  private let older: [Int: Migration]

  /// Begins a chain with the oldest version that is still read, which may be the only one.
  ///
  /// - Parameters:
  ///   - type: The type of the values in that version.
  ///   - number: The number of that version.
  ///   - unversioned: The version of content that does not contain a version, because it was written before you added
  ///     versions.
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

  /// The oldest version that is read.
  package var oldest: Int { current - older.count }

  /// Adds the next version.
  ///
  /// - Parameters:
  ///   - type: The type of the values in the next version.
  ///   - migrate: Converts a value of this version to the next. It may be called from any thread, several times for one
  ///     file, and its result must depend only on its argument. An error that it throws becomes the reason of
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

  /// Decodes content of any version.
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
  /// Returns a format for values whose type has changed over time, which stores the version with the value.
  ///
  /// See ``FileVersions`` for an example. A format for your own bytes or text can have versions, too: throw a
  /// ``FileVersionError`` from ``decode``.
  ///
  /// - Parameters:
  ///   - versions: The types and their migrations.
  ///   - coding: The coding, which must be the same for all versions.
  /// - Returns: The format.
  public static func versioned(_ versions: FileVersions<Value>, coding: FileCoding = .json) -> FileFormat {
    FileFormat(versions, coding, .besideValue)
  }

  /// Returns a format for records that contain their version under a key of their own, `version`, which their type does
  /// not have.
  ///
  /// Content without a version is damaged.
  ///
  /// - Parameters:
  ///   - versions: The types, which are encoded as objects, and their migrations.
  ///   - coding: The coding, which must be the same for all versions.
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

/// An error thrown for content that may be intact but has an unsupported version.
///
/// A ``FileFormat`` throws it when it decodes, and the file converts it to an ``AppGroupsFileError``, which also
/// contains the URL. Throw it from your own formats whose content has a version.
@nonexhaustive
public enum FileVersionError: Error, Hashable, Sendable {
  /// The content was written by a newer version of the program; `supported` is the newest version that this program
  /// reads.
  case newer(found: Int, supported: Int)

  /// The content has a version that is no longer read; `supported` is the oldest version that this program reads.
  case older(found: Int, supported: Int)

  /// The migration from one version to the next threw an error.
  case migrationFailed(from: Int, to: Int, reason: String)
}

extension FileVersionError: CustomStringConvertible, LocalizedError {
  /// A description of the problem.
  public var description: String {
    switch self {
    case .newer(let found, let supported):
      "it has version \(found), and this program reads versions up to \(supported)"
    case .older(let found, let supported):
      "it has version \(found), and this program reads versions from \(supported)"
    case .migrationFailed(let from, let to, let reason):
      "it could not be migrated from version \(from) to \(to): \(reason)"
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}

extension FileVersionError {
  /// Throws an error if a version is not supported.
  package static func check(_ found: Int, reads supported: ClosedRange<Int>) throws(FileVersionError) {
    if found > supported.upperBound { throw .newer(found: found, supported: supported.upperBound) }
    if found < supported.lowerBound { throw .older(found: found, supported: supported.lowerBound) }
  }
}

extension AppGroupsFileError {
  init(_ error: FileVersionError, _ url: URL) {
    self =
      switch error {
      case .newer(let found, let supported): .newerVersion(url, found: found, supported: supported)
      case .older(let found, let supported): .olderVersion(url, found: found, supported: supported)
      case .migrationFailed(let from, let to, let reason):
        .migrationFailed(url, from: from, to: to, reason: reason)
      }
  }
}
