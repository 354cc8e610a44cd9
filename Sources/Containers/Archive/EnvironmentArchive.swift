import FileSignals
import Foundation

/// A file that contains an environment.
///
/// The file begins with a mark and the version of the format. Records follow, each with a checksum that continues the
/// checksum of the previous record. So a record that is changed, missing, repeated or moved is detected. The first
/// record describes the environment. One record follows for each directory, file and link: a directory before its
/// entries, and a file before its bytes in pieces. The last record marks the end and contains the totals.
///
/// The archive keeps contents, links as links, permissions and modification times. It does not keep owners, extended
/// attributes, set-user and set-group bits, or hard links.
enum EnvironmentArchive {
  /// The description of the environment in an archive.
  struct Manifest: Codable, Hashable, Sendable {
    var name: String
    var description: String?
    var createdAt: Date
    /// The identifier of the exported environment; an imported one gets its own.
    var uuid: String?
  }

  /// A directory to write, with its name in the archive.
  struct Tree {
    let name: String
    let folder: Folder
    /// The entries of the directory to write, each with all its contents.
    let entries: [EntryPath]
  }

  /// Writes an archive.
  ///
  /// The file is replaced as a whole or not at all.
  ///
  /// - Parameters:
  ///   - trees: The directories to write.
  ///   - manifest: The description of the environment.
  ///   - url: The file, outside of the trees; an existing file is replaced.
  ///   - staging: A directory for temporary clones of files, on the file system of the trees.
  ///   - progress: Receives the amount written so far, and returns whether to continue.
  /// - Returns: The amount written.
  /// - Throws: ``AppContainerError``; then an existing file is unchanged.
  @discardableResult
  static func write(
    _ trees: [Tree], manifest: Manifest, to url: URL, staging: URL? = nil,
    progress: @escaping (ArchiveProgress) -> Bool = { _ in true }
  ) throws(AppContainerError) -> ArchiveProgress {
    for tree in trees { try check(url, isOutsideOf: tree.folder.url) }
    let description = try encode(manifest, for: url)
    guard description.count <= ArchiveFormat.longestPayload else {
      throw .unusableArchive(url, reason: "the name and description of the environment are too long for an archive")
    }
    let file = try wrapped(ExclusiveFile(locking: url))
    defer { file.unlock() }
    var writer = try ArchiveWriter(to: file)
    try writer.append(.manifest, description)
    // The other thread opens the directories itself, because it has other descriptors.
    let places = trees.map { (name: $0.name, url: $0.folder.url, entries: $0.entries) }
    let done: ArchiveProgress
    (writer, done) = try SeparateDescriptors.run(staging: staging) { [writer] descriptors throws(AppContainerError) in
      var packer = TreePacker(writer: writer, descriptors: descriptors, progress: progress)
      packer.writer.descriptors = descriptors
      for tree in places {
        try packer.pack(Tree(name: tree.name, folder: Folder(tree.url), entries: tree.entries))
      }
      packer.writer.descriptors = nil
      return (packer.writer, packer.done)
    }
    try writer.finish(done)
    return done
  }

  /// Reads an archive into a new directory, which remains only if the whole archive is valid.
  ///
  /// - Parameters:
  ///   - url: The archive, which is not trusted.
  ///   - directory: The directory to create; nothing may exist at its path.
  ///   - names: The trees that the archive may contain; each becomes a directory in the new one.
  ///   - hidden: The hidden directory, which will be in a tree with all other environments.
  ///   - allowsOutwardLinks: Pass `true` to accept symbolic links that lead out of their tree or to the hidden
  ///     directory.
  ///   - durability: The durability of the new directory when this returns.
  ///   - progress: Receives the amount read so far, and returns whether to continue.
  /// - Returns: The description of the environment in the archive.
  /// - Throws: ``AppContainerError``; then there is no new directory.
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
        // The directory stays hidden, like the leftovers of a killed process. The caller needs the first error.
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
    return try translating(encoder.encode(manifest)) { (error: any Error) in
      AppContainerError.unusableArchive(url, reason: "the description of the environment cannot be encoded: \(error)")
    }
  }

  private static func check(_ url: URL, isOutsideOf tree: URL) throws(AppContainerError) {
    let path = url.deletingLastPathComponent().resolvingSymlinksInPath().path + "/"
    guard !path.isPath(below: tree.resolvingSymlinksInPath().path) else {
      throw .blocked(url, reason: "an archive inside the environment would contain itself")
    }
  }
}

/// The part of an archive that has been written or read.
public struct ArchiveProgress: Hashable, Sendable {
  /// The number of directories, files and links.
  public internal(set) var entries = 0

  /// The number of bytes in files.
  public internal(set) var bytes = 0
}
