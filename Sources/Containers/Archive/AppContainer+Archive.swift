import AppGroups
import FileSignals
public import Foundation

extension AppContainer {
  /// Writes an environment to one file, with its settings, its cookies, and its files with modes and times.
  ///
  /// Links stay links.
  ///
  /// ``importEnvironment(from:name:description:allowsOutwardLinks:progress:)`` creates a new environment from the file.
  ///
  /// ```swift
  /// import Containers
  /// import Foundation
  ///
  /// let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  /// let app = try AppContainer(home: folder.appending(path: "Home"))
  /// try Data("hello".utf8).write(to: app.home.appending(path: "note.txt"))
  /// let archive = folder.appending(path: "Default.archive")
  /// try app.export(app.active.value, to: archive)
  ///
  /// let copy = try app.importEnvironment(from: archive, name: "Copy")
  /// try app.activate(copy)
  /// let note = try Data(contentsOf: app.home.appending(path: "note.txt"))
  /// print(String(decoding: note, as: UTF8.self))  // Prints "hello"
  /// try FileManager.default.removeItem(at: folder)
  /// ```
  ///
  /// If the environment is active, unsaved state in memory is written first, and live values are held. No other thread
  /// or process can switch during the export. Other programs may write: see ``clone(_:name:description:progress:)``. The
  /// file appears as a whole and survives a power failure, or it does not
  /// appear at all. Only its owner may read it. It is as secret as the most secret file in the environment.
  ///
  /// - Parameters:
  ///   - environment: The environment.
  ///   - url: The file, outside of the environment; an existing file is replaced.
  ///   - progress: A closure that receives the amount written so far, and returns whether to continue.
  /// - Returns: The amount written.
  /// - Throws: ``AppContainerError``, such as ``AppContainerError/unsupportedFile(_:kind:)`` for named pipes and the
  ///   like, ``AppContainerError/blocked(_:reason:)`` for a path that is too long or deep for an archive, and
  ///   ``AppContainerError/heldOpen(reason:)`` if a large file is rewritten while it is read, or another program keeps
  ///   a database locked. Then an existing file is unchanged.
  /// - Complexity: O(*n*) in the number and size of the files. Memory use does not depend on the size of the files.
  @discardableResult
  public func export(
    _ environment: Environment, to url: URL, progress: @escaping (ArchiveProgress) -> Bool = { _ in true }
  ) throws(AppContainerError) -> ArchiveProgress {
    try export(id: environment.id, to: url, progress: progress)
  }

  /// Writes the environment with an identifier to one file; see ``export(_:to:progress:)``.
  ///
  /// - Parameters:
  ///   - id: The identifier.
  ///   - url: The file, outside of the environment; an existing file is replaced.
  ///   - progress: A closure that receives the amount written so far, and returns whether to continue.
  /// - Returns: The amount written.
  /// - Throws: ``AppContainerError``; then an existing file is unchanged.
  @discardableResult
  public func export(
    id: UUID, to url: URL, progress: @escaping (ArchiveProgress) -> Bool = { _ in true }
  ) throws(AppContainerError) -> ArchiveProgress {
    try engine.exclusively("export") { try $0.export(id, to: url, progress: progress) }
  }

  /// Creates an environment from an archive, which need not be trusted.
  ///
  /// All of the archive is verified before the environment appears. An archive is refused as a whole if it is damaged,
  /// truncated, of a newer version, or contains an entry that would be outside the environment. The new environment
  /// has its own identifier, dates and counts.
  ///
  /// - Parameters:
  ///   - url: The archive.
  ///   - name: The name of the environment; by default the one in the archive.
  ///   - description: The description of the environment; by default the one in the archive.
  ///   - allowsOutwardLinks: A Boolean value that indicates whether to accept symbolic links that lead out of the
  ///     environment, or to other environments. A write through such a link changes a file that the author of the
  ///     archive chose, so pass `true` only for your own archives.
  ///   - progress: A closure that receives the amount read so far, and returns whether to continue.
  /// - Returns: The environment, which is not activated.
  /// - Throws: ``AppContainerError``, such as ``AppContainerError/unusableArchive(_:reason:)``,
  ///   ``AppContainerError/unsafeArchive(_:entry:reason:)`` and ``AppContainerError/newerArchive(_:found:supported:)``;
  ///   then no part of the environment exists.
  /// - Complexity: O(*n*) in the size of the archive. Memory use does not depend on the size of the files.
  @discardableResult
  public func importEnvironment(
    from url: URL, name: String? = nil, description: String? = nil, allowsOutwardLinks: Bool = false,
    progress: @escaping (ArchiveProgress) -> Bool = { _ in true }
  ) throws(AppContainerError) -> Environment {
    let manifest = try EnvironmentArchive.manifest(of: url)
    return try engine.exclusively("importEnvironment") { access in
      try access.make(name: name ?? manifest.name, description: description ?? manifest.description) { directory in
        try access.unpack(url, into: directory, allowsOutwardLinks: allowsOutwardLinks, progress: progress)
      }
    }
  }
}

extension ContainerAccess {
  fileprivate func export(
    _ id: UUID, to url: URL, progress: @escaping (ArchiveProgress) -> Bool
  ) throws -> ArchiveProgress {
    try check(id)
    let original = environment(id)
    let manifest = EnvironmentArchive.Manifest(
      name: original.name, description: original.description, createdAt: original.createdAt,
      uuid: id.uuidString)
    return try withContents(of: id) { contents in
      let trees = [
        EnvironmentArchive.Tree(name: "data", folder: contents.files, entries: contents.entries),
        EnvironmentArchive.Tree(
          name: ContainerLayout.settings, folder: contents.settings, entries: try contents.settings.names()),
      ]
      return try EnvironmentArchive.write(trees, manifest: manifest, to: url, staging: hidden.url, progress: progress)
    }
  }

  /// Unpacks an archive into the directory of an environment that is being created.
  fileprivate func unpack(
    _ url: URL, into directory: Folder, allowsOutwardLinks: Bool, progress: @escaping (ArchiveProgress) -> Bool
  ) throws {
    let names = ["data", ContainerLayout.settings]
    let place = EntryPath("unpacked")
    _ = try EnvironmentArchive.read(
      url, into: directory.place(of: place), trees: Set(names), hidden: layout.hidden,
      allowsOutwardLinks: allowsOutwardLinks, progress: progress)
    let unpacked = try Folder(place, in: directory)
    try checkSettings(in: unpacked, of: url)
    for name in names.map({ EntryPath($0) }) where try unpacked.status(of: name) != nil {
      try directory.removeEmpty(name)
      guard try ExclusiveRename.move(name, in: unpacked, to: name, in: directory) else {
        throw AppContainerError.blocked(directory.place(of: name), reason: "the import must create it")
      }
    }
    directory.removeIfEmpty(place)
  }

  /// Removes the locks from unpacked settings, and checks that the settings are files.
  ///
  /// Every switch away from the environment saves its settings, so nothing may be in the way of that.
  private func checkSettings(in unpacked: Folder, of url: URL) throws(AppContainerError) {
    let settings = EntryPath(ContainerLayout.settings)
    guard try unpacked.status(of: settings) != nil else { return }
    // The directory of the locks is created again when it is missing.
    try TreeRemover.remove(settings.appending(".shared"), in: unpacked)
    for name in try unpacked.names(at: settings) {
      let entry = settings.appending(name)
      guard try unpacked.status(of: entry)?.kind != .regular else { continue }
      throw .unsafeArchive(url, entry: entry.text, reason: "settings must be regular files")
    }
  }
}
