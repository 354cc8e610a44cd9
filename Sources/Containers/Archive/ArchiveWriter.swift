import AppGroups
import FileSignals

/// Writes the records of an archive in pieces, so that memory use does not depend on its size.
struct ArchiveWriter {
  private let file: ExclusiveFile
  private let content: PreparedWrite
  private var waiting: [UInt8]
  private var checksum: UInt32

  /// The descriptors of the thread that appends, if they are not those of the file.
  var descriptors: SeparateDescriptors?

  init(to file: ExclusiveFile) throws(AppContainerError) {
    self.file = file
    content = try wrapped(file.prepareInPieces())
    waiting = ArchiveFormat.mark
    waiting.appendNumber(UInt32(ArchiveFormat.version))
    checksum = waiting.withUnsafeBytes { Checksum.of($0) }
  }

  /// Appends one record.
  mutating func append(_ kind: ArchiveFormat.Kind, _ payload: some Collection<UInt8>) throws(AppContainerError) {
    let start = waiting.count
    waiting.append(kind.rawValue)
    waiting.appendNumber(UInt32(payload.count))
    waiting.append(contentsOf: payload)
    // Sound: the appended range lies within the bytes, and the pointer does not escape.
    checksum = waiting.withUnsafeBytes { bytes in
      Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[start...]), goingOnFrom: checksum)
    }
    waiting.appendNumber(checksum)
    if waiting.count >= ArchiveFormat.piece { try flush() }
  }

  private mutating func flush() throws(AppContainerError) {
    let write = { [content, waiting] in
      waiting.withUnsafeBytes { bytes in Result { () throws(DurableFileError) in try content.append(bytes) } }
    }
    let result = descriptors?.onCaller(write) ?? write()
    try wrapped(result.get())
    waiting = []
    waiting.reserveCapacity(2 * ArchiveFormat.piece)
  }

  /// Writes the end record, and renames the archive into place durably.
  mutating func finish(_ done: ArchiveProgress) throws(AppContainerError) {
    var payload: [UInt8] = []
    payload.appendNumber(UInt64(done.entries))
    payload.appendNumber(UInt64(done.bytes))
    try append(.end, payload)
    try flush()
    try wrapped(content.finish(durability: .storage))
    try wrapped(content.commit())
    try wrapped(file.synchronizeDirectory())
  }
}
