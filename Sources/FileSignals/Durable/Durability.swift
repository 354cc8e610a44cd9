/// What a written file is safe against.
///
/// Both are atomic: whoever reads, sees the old content or the new one, whole, whatever happens to the writer. They
/// differ in what is left after the machine itself has stopped.
public enum Durability: Sendable, Hashable {
  /// Safe against the crash of any process, this one included, but not against a power failure or the end of the
  /// system.
  ///
  /// Nothing waits for the disk; a write costs what creating and renaming a small file costs, some tens of
  /// microseconds. After a power failure the file may have an older content, and on some file systems it may be empty
  /// or missing. Choose it for state that can be made again, and for values that change often.
  case process

  /// Safe against a power failure as well: when the write returns, the content and its name have reached the disk.
  ///
  /// The content is written to the disk before it takes the file's place, and the directory after, also if somebody
  /// else has put the same content there before without waiting. That costs two trips to the disk, each from a tenth of
  /// a millisecond to ten milliseconds, and other writers of the file wait meanwhile; readers and observers do not.
  /// Choose it for settings, journals, archives and secrets.
  ///
  /// If only the very last step fails, the write throws although the new content is in place.
  case storage
}
