import FileSignals
import Foundation

/// One file that holds an environment.
///
/// It begins with a mark and the version of the format. Then come records, each with a checksum that goes on from that
/// of the record before, so that none can be changed, lost, doubled or moved unnoticed. The first describes the
/// environment. One follows for each directory, file and link, a directory before its entries, and a file before its
/// bytes in pieces. The last says that this is all, and how much.
///
/// Kept are contents, links as links, permissions and times of modification; not who owns a file, its extended
/// attributes, the bits that let programs run as somebody else, and which files are one under several names.
enum EnvironmentArchive {
  /// The description of the environment in an archive.
  struct Manifest: Codable, Hashable, Sendable {
    var name: String
    var description: String?
    var createdAt: Date
    /// The identifier that it had; one that is imported gets its own.
    var uuid: String?
  }

  /// What is to be written, under a name that it has in the archive.
  struct Tree {
    let name: String
    let folder: Folder
    /// What of the directory, with all that is in it.
    let entries: [EntryPath]
  }

  /// Writes an archive, which takes its place whole or not at all.
  ///
  /// - Parameters:
  ///   - trees: What it holds.
  ///   - manifest: What it says about it.
  ///   - url: The file, outside of the trees; one that is there already is replaced.
  ///   - progress: Is told how much is done, and says whether to go on.
  /// - Returns: How much was written.
  /// - Throws: ``AppContainerError``; what was at the place before is as it was.
  @discardableResult
  static func write(
    _ trees: [Tree], manifest: Manifest, to url: URL, progress: @escaping (ArchiveProgress) -> Bool = { _ in true }
  ) throws(AppContainerError) -> ArchiveProgress {
    for tree in trees { try check(url, isOutsideOf: tree.folder.url) }
    let description = try encode(manifest, for: url)
    guard description.count <= ArchiveFormat.longestPayload else {
      throw .unusableArchive(url, reason: "name and description of the environment are longer than an archive can hold")
    }
    let file = try wrapped { () throws(DurableFileError) in try ExclusiveFile(locking: url) }
    defer { file.unlock() }
    var writer = try ArchiveWriter(to: file)
    try writer.append(.manifest, description)
    var packer = TreePacker(writer: writer, progress: progress)
    for tree in trees { try packer.pack(tree) }
    try packer.writer.finish(packer.done)
    return packer.done
  }

  /// Reads an archive into a new directory; nothing is left of it unless all of it is sound.
  ///
  /// - Parameters:
  ///   - url: The archive, which is not trusted.
  ///   - directory: The directory to make; there must not be anything.
  ///   - names: The trees that it may hold; each becomes a directory in the new one.
  ///   - hidden: The hidden directory, which will be in a tree with all other environments.
  ///   - allowsOutwardLinks: Whether to take symbolic links that lead out of their tree, or to the hidden directory.
  ///   - durability: What the new directory is safe against when this returns.
  ///   - progress: Is told how much is done, and says whether to go on.
  /// - Returns: The description of the environment in the archive.
  /// - Throws: ``AppContainerError``; there is no new directory then.
  static func read(
    _ url: URL, into directory: URL, trees names: Set<String>, hidden: EntryPath, allowsOutwardLinks: Bool = false,
    durability: Durability = .storage, progress: @escaping (ArchiveProgress) -> Bool = { _ in true }
  ) throws(AppContainerError) -> Manifest {
    var reader = try ArchiveReader(url)
    let manifest = try reader.manifest()
    let name = EntryPath(directory.lastPathComponent)
    let parent = try Folder(directory.deletingLastPathComponent())
    guard mkdirat(parent.number, name.cString, 0o700) == 0 else { throw parent.failure("create", name) }
    do {
      let folder = try Folder(name, in: parent)
      var unpacker = TreeUnpacker(
        reader: reader, folder: folder, names: names, hidden: hidden, allowsOutwardLinks: allowsOutwardLinks,
        progress: progress)
      try unpacker.unpack()
      if durability == .storage { try FileSystemFlush.wait(for: folder) }
    } catch {
      do { try TreeRemover.remove(name, in: parent) } catch {
        // It stays hidden, as what is left over from a process that was killed does; what matters is why it is there.
      }
      throw error
    }
    return manifest
  }

  /// Reads the description of the environment in an archive, and none of its files.
  static func manifest(of url: URL) throws(AppContainerError) -> Manifest {
    var reader = try ArchiveReader(url)
    return try reader.manifest()
  }

  static func encode(_ manifest: Manifest, for url: URL) throws(AppContainerError) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    do {
      return try encoder.encode(manifest)
    } catch {
      throw .unusableArchive(url, reason: "its description cannot be written: \(error)")
    }
  }

  private static func check(_ url: URL, isOutsideOf tree: URL) throws(AppContainerError) {
    let path = url.deletingLastPathComponent().resolvingSymlinksInPath().path + "/"
    let inside = tree.resolvingSymlinksInPath().path
    guard !path.hasPrefix(inside == "/" ? inside : inside + "/") else {
      throw .blocked(url, reason: "an archive in the environment itself would have to hold itself")
    }
  }
}

/// The amount of an archive that is written or read.
public struct ArchiveProgress: Hashable, Sendable {
  /// The number of directories, files and links.
  public internal(set) var entries = 0

  /// The number of bytes in files.
  public internal(set) var bytes = 0
}
