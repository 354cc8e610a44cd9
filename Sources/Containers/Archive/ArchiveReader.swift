import AppGroups
import CLibrary
import FileSignals
import Foundation

/// Reads the records of an archive, and verifies the checksum of each record before using it.
struct ArchiveReader {
  /// Keeps the file open.
  private final class Source {
    let descriptor: Descriptor

    init(_ descriptor: consuming Descriptor) {
      self.descriptor = descriptor
    }
  }

  let url: URL
  private let source: Source
  private var checksum: UInt32

  init(_ url: URL) throws(AppContainerError) {
    self.url = url
    let number = uninterrupted { open(url.path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) }
    guard let descriptor = Descriptor(number) else { throw .file(DurableFileError(errno, "read", url)) }
    guard let status = descriptor.status else { throw .file(DurableFileError(errno, "inspect", url)) }
    guard status.kind == .regular else { throw .file(.notARegularFile(url, kind: status.kind.rawValue)) }
    source = Source(descriptor)
    checksum = 0
    let head = try bytes(ArchiveFormat.mark.count + 4)
    guard head?.starts(with: ArchiveFormat.mark) == true, var rest = head?.dropFirst(ArchiveFormat.mark.count),
      let version = rest.popNumber(UInt32.self)
    else { throw .unusableArchive(url, reason: "it is not an environment archive") }
    guard version <= ArchiveFormat.version else {
      throw .newerArchive(url, found: Int(version), supported: ArchiveFormat.version)
    }
    guard version > 0 else { throw damaged("its version is 0") }
    checksum = (head ?? []).withUnsafeBytes { Checksum.of($0) }
  }

  /// Reads the next record.
  mutating func next() throws(AppContainerError) -> (kind: ArchiveFormat.Kind, payload: [UInt8]) {
    guard let head = try bytes(5) else { throw truncated }
    var rest = head.dropFirst()
    let length = Int(rest.popNumber(UInt32.self) ?? 0)
    guard length <= ArchiveFormat.longestPayload else { throw damaged("the length of a record exceeds the limit") }
    guard let payload = try bytes(length), let mark = try bytes(4) else { throw truncated }
    var expected = mark[...]
    checksum = head.withUnsafeBytes { Checksum.of($0, goingOnFrom: checksum) }
    checksum = payload.withUnsafeBytes { Checksum.of($0, goingOnFrom: checksum) }
    guard expected.popNumber(UInt32.self) == checksum else { throw damaged("a checksum does not match") }
    guard let kind = ArchiveFormat.Kind(rawValue: head[0]) else { throw damaged("a record has an unknown kind") }
    return (kind, payload)
  }

  /// Reads the first record.
  mutating func manifest() throws(AppContainerError) -> EnvironmentArchive.Manifest {
    let (kind, payload) = try next()
    guard kind == .manifest else { throw damaged("it does not begin with a description of the environment") }
    return try translating(JSONDecoder().decode(EnvironmentArchive.Manifest.self, from: Data(payload))) {
      (error: any Error) in
      damaged("the description of the environment cannot be decoded: \(error)")
    }
  }

  /// Throws an error if data follows the last record.
  func end() throws(AppContainerError) {
    guard try bytes(1) == nil else { throw damaged("data follows its end") }
  }

  func damaged(_ how: String) -> AppContainerError {
    .unusableArchive(url, reason: "it is damaged: \(how)")
  }

  private var truncated: AppContainerError { damaged("it is truncated") }

  /// Reads the given number of bytes, or returns `nil` if the file has fewer.
  private func bytes(_ count: Int) throws(AppContainerError) -> [UInt8]? {
    var result = 0
    // Sound: exactly the bytes that were read count as initialized.
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      result = readAll(UnsafeMutableRawBufferPointer(buffer), from: source.descriptor.number)
      initialized = max(result, 0)
    }
    guard result >= 0 else { throw .file(DurableFileError(errno, "read", url)) }
    return result == count ? bytes : nil
  }
}
