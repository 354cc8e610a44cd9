/// The storage that records which user is logged in.
///
/// Callers hold the lock that excludes other processes.
protocol SessionArchive: Sendable {
  /// The place of the archive, for error messages.
  var path: String { get }

  /// Returns the archived content, which is empty before the first write.
  func read() throws -> ArchiveContents

  /// Replaces the archived content as a whole and durably.
  ///
  /// An existing archive that cannot be read is put aside.
  func write(_ contents: ArchiveContents) throws

  /// Returns whether an error of ``read()`` is permanent, because of the archive's content.
  func isLasting(_ error: any Error) -> Bool

  /// Closes open files.
  func close()
}

extension SessionArchive {
  func close() {}
}
