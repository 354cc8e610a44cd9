import AppGroups
public import Foundation

extension AppContainer {
  /// Writes everything of a container into one file, from which
  /// ``importContainer(from:name:description:allowsOutwardLinks:progress:)`` makes another: its files with modes,
  /// times, and links as links, its settings and cookies.
  ///
  /// ```swift
  /// import Containers
  /// import Foundation
  ///
  /// let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  /// let app = try AppContainer(home: folder.appending(path: "Home"))
  /// try Data("hello".utf8).write(to: app.home.appending(path: "note.txt"))
  /// let archive = folder.appending(path: "Default.container")
  /// try app.export(container: app.activeContainer, to: archive)
  ///
  /// let copy = try app.importContainer(from: archive, name: "Copy")
  /// try app.activate(container: copy)
  /// let note = try Data(contentsOf: app.home.appending(path: "note.txt"))
  /// print(String(decoding: note, as: UTF8.self))  // Prints "hello"
  /// try FileManager.default.removeItem(at: folder)
  /// ```
  ///
  /// If the container is active, everything that memory holds for it is written first, and live values rest. Nobody can
  /// switch meanwhile. The file takes its place whole and safe against a power failure, or not at all; only its owner
  /// may read it, and it is as secret as the most secret thing in the container.
  ///
  /// - Parameters:
  ///   - container: The container.
  ///   - url: The file, outside of the container; one that is there already is replaced.
  ///   - progress: Is told how much is written, and says whether to go on. By default it does.
  /// - Returns: How much was written.
  /// - Throws: ``AppContainerError``, among them ``AppContainerError/unsupportedFile(_:kind:)`` for named pipes and the
  ///   like, and ``AppContainerError/heldOpen(reason:)`` if a file changes while it is read; what was at the place
  ///   before stays then.
  /// - Complexity: O(*n*) in the number and size of the files. Memory does not depend on the size of files.
  @discardableResult
  public func export(
    container: Container, to url: URL, progress: @escaping (ArchiveProgress) -> Bool = { _ in true }
  ) throws(AppContainerError) -> ArchiveProgress {
    try exportContainer(uuid: container.uuid, to: url, progress: progress)
  }

  /// Writes everything of the container of an identifier into one file; see ``export(container:to:progress:)``.
  ///
  /// - Parameters:
  ///   - uuid: The identifier.
  ///   - url: The file, outside of the container; one that is there already is replaced.
  ///   - progress: Is told how much is written, and says whether to go on. By default it does.
  /// - Returns: How much was written.
  /// - Throws: ``AppContainerError``; what was at the place before stays then.
  @discardableResult
  public func exportContainer(
    uuid: String, to url: URL, progress: @escaping (ArchiveProgress) -> Bool = { _ in true }
  ) throws(AppContainerError) -> ArchiveProgress {
    try engine.exclusively("exportContainer") { try $0.export(uuid, to: url, progress: progress) }
  }

  /// Makes a container of an archive, which is not trusted: all of it is verified before anything of it can be seen.
  ///
  /// An archive that is damaged, cut off, of a newer version, or holds anything that would lie outside of the container
  /// is refused as a whole. The new container has an identifier, dates and counts of its own.
  ///
  /// - Parameters:
  ///   - url: The archive.
  ///   - name: What people call the container; by default as it was called when it was exported.
  ///   - description: What it is for; by default as it was.
  ///   - allowsOutwardLinks: Whether to take symbolic links that lead out of the container, or to where the others are
  ///     put away. Who reads or writes through such a link touches whatever the archive's author wanted, so that is only
  ///     for archives of your own.
  ///   - progress: Is told how much is read, and says whether to go on. By default it does.
  /// - Returns: The container, which is not activated.
  /// - Throws: ``AppContainerError``, among them ``AppContainerError/unusableArchive(_:reason:)``,
  ///   ``AppContainerError/unsafeArchive(_:entry:reason:)`` and ``AppContainerError/newerArchive(_:found:supported:)``;
  ///   nothing is left of the container then.
  /// - Complexity: O(*n*) in the size of the archive. Memory does not depend on the size of files.
  @discardableResult
  public func importContainer(
    from url: URL, name: String? = nil, description: String? = nil, allowsOutwardLinks: Bool = false,
    progress: @escaping (ArchiveProgress) -> Bool = { _ in true }
  ) throws(AppContainerError) -> Container {
    let manifest = try ContainerArchive.manifest(of: url)
    return try engine.exclusively("importContainer") { access in
      try access.make(name: name ?? manifest.name, description: description ?? manifest.description) { directory in
        try access.unpack(url, into: directory, allowsOutwardLinks: allowsOutwardLinks, progress: progress)
      }
    }
  }
}

extension ContainerAccess {
  fileprivate func export(
    _ uuid: String, to url: URL, progress: @escaping (ArchiveProgress) -> Bool
  ) throws -> ArchiveProgress {
    let uuid = try known(uuid)
    let original = container(uuid)
    let manifest = ContainerArchive.Manifest(
      name: original.name, description: original.description, createdAt: original.createdAt, uuid: uuid)
    return try withContents(of: uuid) { contents in
      let trees = [
        ContainerArchive.Tree(name: "data", folder: contents.files, entries: contents.entries),
        ContainerArchive.Tree(
          name: ContainerLayout.settings, folder: contents.settings, entries: try contents.settings.names()),
      ]
      return try ContainerArchive.write(trees, manifest: manifest, to: url, progress: progress)
    }
  }

  /// Puts what an archive holds into the directory of a container that is being made.
  fileprivate func unpack(
    _ url: URL, into directory: Folder, allowsOutwardLinks: Bool, progress: @escaping (ArchiveProgress) -> Bool
  ) throws {
    let names = ["data", ContainerLayout.settings]
    let place = EntryPath("unpacked")
    _ = try ContainerArchive.read(
      url, into: directory.place(of: place), trees: Set(names), hidden: layout.hidden,
      allowsOutwardLinks: allowsOutwardLinks, progress: progress)
    let unpacked = try Folder(place, in: directory)
    for name in names.map({ EntryPath($0) }) where unpacked.status(of: name) != nil {
      directory.removeIfEmpty(name)
      guard try ExclusiveRename.move(name, in: unpacked, to: name, in: directory) else {
        throw AppContainerError.blocked(directory.place(of: name), reason: "it was to be made")
      }
    }
    directory.removeIfEmpty(place)
  }
}
