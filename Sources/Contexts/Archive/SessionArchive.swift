/// Where it is written down who is logged in.
///
/// Callers hold the lock that keeps processes apart.
protocol SessionArchive: Sendable {
  /// The place, for messages.
  var path: String { get }

  /// What is archived; empty if nothing has been.
  func read() throws -> ArchiveContents

  /// Replaces what is archived, as a whole and durably.
  ///
  /// What is there and cannot be read is put aside.
  func write(_ contents: ArchiveContents) throws

  /// Whether what ``read()`` threw will not pass, because of what is archived.
  func isLasting(_ error: any Error) -> Bool

  /// Lets go of what is open.
  func close()
}

extension SessionArchive {
  func close() {}
}
