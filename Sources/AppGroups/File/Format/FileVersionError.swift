public import Foundation

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
