/// The failures that a written file survives.
///
/// Writes are atomic in both cases: a reader sees the complete old content or the complete new content, whatever
/// happens to the writer. The cases differ in the state of the file after the machine itself has stopped.
public enum Durability: Sendable, Hashable {
  /// The file survives the crash of any process, including this one, but not a power failure or a system crash.
  ///
  /// Nothing waits for the disk, except the creation of a missing directory. A write costs as much as creating and
  /// renaming a small file, some tens of microseconds. Use this case for state that can be recreated, and for values
  /// that change often.
  ///
  /// A power failure affects only what the system has not stored yet, on Linux usually the last half minute. Each file
  /// that was written in that time may then have:
  ///
  /// - **Older content,** of any earlier write.
  /// - **No content, or a part of it,** if the system stored the new name before the bytes. The older content is then
  ///   lost, too. ext4 with its default options rules this out for a file that already existed; other file systems may
  ///   not.
  /// - **No name:** the file is missing, if it was created in that time.
  ///
  /// All other files are unchanged. A shared file reports JSON or a property list that is empty or incomplete. Text and
  /// raw data cannot show that bytes are missing.
  case process

  /// The file also survives a power failure: when the write returns, the content and its name are on the disk.
  ///
  /// The content is written to the disk before it replaces the file, and the directory afterwards. The names of
  /// directories that the package has created above it are on the disk, too, even if the process that created one was
  /// killed meanwhile. This also happens if another process has already stored the same content without waiting for the
  /// disk. It costs two disk writes, each between a tenth of a millisecond and ten milliseconds. Other writers of the
  /// file wait during that time; readers and observers do not. Use this case for settings, journals, archives and
  /// secrets.
  ///
  /// If only the very last step fails, the write throws although the new content is in place.
  case storage
}
