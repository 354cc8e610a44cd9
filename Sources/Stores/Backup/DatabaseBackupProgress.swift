/// The progress of a backup.
public struct DatabaseBackupProgress: Hashable, Sendable {
  /// The number of pages that have been copied.
  public let completedPageCount: Int

  /// The number of pages of the database.
  public let totalPageCount: Int

  /// The number of pages that have not been copied yet.
  public var remainingPageCount: Int { totalPageCount - completedPageCount }

  /// A Boolean value that indicates whether all pages have been copied.
  public var isCompleted: Bool { remainingPageCount == 0 }
}
