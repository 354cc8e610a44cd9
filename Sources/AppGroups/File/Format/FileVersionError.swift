public import Foundation

/// Why content cannot be used although it may well be whole: it is of another version.
///
/// A ``FileFormat`` throws it when it decodes; the file that has the format makes it an ``AppGroupsFileError``, which
/// also names the file. Throw it from a format of your own whose content says its version.
public enum FileVersionError: Error, Hashable, Sendable {
  /// The content was written by a newer version of the program; `supported` is the newest that this one reads.
  case newer(found: Int, supported: Int)

  /// The content is older than anything that is still read; `supported` is the oldest that is.
  case older(found: Int, supported: Int)

  /// The step from one version to the next threw.
  case migrationFailed(from: Int, to: Int, reason: String)
}

extension FileVersionError: CustomStringConvertible, LocalizedError {
  /// What is wrong, in words.
  public var description: String {
    switch self {
    case .newer(let found, let supported):
      "it is of version \(found), and this program reads none newer than \(supported)"
    case .older(let found, let supported):
      "it is of version \(found), and this program reads none older than \(supported)"
    case .migrationFailed(let from, let to, let reason):
      "it could not be migrated from version \(from) to \(to): \(reason)"
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}

extension FileVersionError {
  /// Throws if a version is not among those that are read.
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
