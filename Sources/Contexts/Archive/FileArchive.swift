import AppGroups
import FileSignals
import Foundation

/// An archive in one JSON file.
struct FileArchive: SessionArchive {
  private static let format = FileFormat<ArchiveContents>.versioned(FileVersions(ArchiveContents.self))

  let url: URL

  var path: String { url.path }

  func read() throws -> ArchiveContents {
    guard let data = try content() else { return ArchiveContents() }
    return try Self.format.decode(data)
  }

  func write(_ contents: ArchiveContents) throws {
    if let data = try content(), !isReadable(data) {
      // Keep a copy: a newer version of the app may be able to read it.
      try DurableFile.write(data, to: try PutAside.place(for: url), mode: 0o600)
    }
    try DurableFile.write(Self.format.encode(contents), to: url, mode: 0o600)
  }

  func isLasting(_ error: any Error) -> Bool { !(error is DurableFileError) }

  private func content() throws -> Data? {
    do {
      return try DurableFile.read(url)
    } catch DurableFileError.notFound {
      return nil
    }
  }

  private func isReadable(_ data: Data) -> Bool {
    do {
      _ = try Self.format.decode(data)
      return true
    } catch {
      return false
    }
  }
}
