/// What a written file is safe against.
public enum Durability: Sendable, Hashable {
  /// Safe against the crash of any process, this one included, but not against a power failure.
  ///
  /// A reader sees the old content or the new, whole. Nothing waits for the disk. Choose it for state that can be made
  /// again.
  case process

  /// Safe against a power failure as well: when the write returns, the file and its name have reached the disk.
  ///
  /// Costs two trips to the disk. Choose it for settings, journals, archives and secrets.
  case storage
}
