import FileSignals
import Foundation

/// The records of the library AppContainer in a root.
///
/// ```
/// <root>/Library/.__app_container__/com.p-x9.AppContainer.settings.plist   the active container
/// <root>/Library/.__app_container__/settings.plist                         the same, before version 0.3
/// <root>/Library/.__app_container__/<uuid>/container.plist                 a container's name, dates and count
/// <root>/Library/.__app_container__/<uuid>/…                               its files, while it is not active
/// ```
struct LegacyContainers {
  static let path = EntryPath("Library/.__app_container__")
  static let record = EntryPath("container.plist")
  private static let settings = ["com.p-x9.AppContainer.settings.plist", "settings.plist"].map { EntryPath($0) }

  /// The record of a container; every part may be missing.
  struct Record: Decodable {
    var name: String?
    var description: String?
    var createdAt: Date?
    var lastActivatedDate: Date?
    var activatedCount: Int?
  }

  private struct Settings: Decodable {
    let currentContainerUUID: String
  }

  let folder: Folder

  /// The containers with a directory.
  let ids: [UUID]

  /// Opens the records of a root; fails if there are none.
  init?(in root: Folder) throws(AppContainerError) {
    guard try root.status(of: Self.path)?.kind == .directory else { return nil }
    let folder = try Folder(Self.path, in: root)
    self.folder = folder
    var ids: [UUID] = []
    for name in try folder.names() where try folder.status(of: name)?.kind == .directory {
      if let id = ContainerLayout.id(name.text.uppercased()) { ids.append(id) }
    }
    self.ids = ids.sorted { $0.uuidString < $1.uuidString }
  }

  /// The name of a container's directory.
  func name(of id: UUID) throws(AppContainerError) -> EntryPath {
    // Its letters may be lowercase.
    let names = try folder.names()
    return names.first { $0.text.uppercased() == id.uuidString } ?? EntryPath(id.uuidString)
  }

  /// Returns the record of a container, or `nil` if it is missing or cannot be read.
  func record(of id: UUID) throws(AppContainerError) -> Record? {
    let url = folder.place(of: try name(of: id).appending(Self.record))
    return tolerating(try PropertyListDecoder().decode(Record.self, from: DurableFile.read(url)), else: nil)
  }

  /// The active container, whose files are in the root.
  ///
  /// Without settings, AppContainer assumes the default container. That is certain only if no container was activated.
  func active() throws(AppContainerError) -> UUID {
    for name in Self.settings where try folder.status(of: name) != nil {
      let url = folder.place(of: name)
      do {
        let text = try PropertyListDecoder().decode(Settings.self, from: DurableFile.read(url)).currentContainerUUID
        if let id = UUID(uuidString: text), id == AppContainer.Environment.defaultID || ids.contains(id) { return id }
      } catch {
        throw .unreadableState(url, reason: "\(error)")
      }
      throw .unreadableState(url, reason: "it names a container that does not exist")
    }
    for id in ids where try record(of: id)?.activatedCount ?? 0 > 0 {
      throw .unreadableState(
        folder.place(of: Self.settings[0]), reason: "it is missing, but containers have been activated")
    }
    return AppContainer.Environment.defaultID
  }

  /// Removes the records, once all containers have been moved, and puts everything else aside.
  func remove(from root: Folder, aside: (EntryPath) throws -> Void) throws {
    for name in Self.settings where try folder.status(of: name) != nil { try TreeRemover.remove(name, in: folder) }
    for id in ids { folder.removeIfEmpty(try name(of: id)) }
    for name in try folder.names() { try aside(name) }
    root.removeIfEmpty(Self.path)
  }
}

@available(*, unavailable)
extension LegacyContainers: Sendable {}

extension AppContainer {
  /// Takes over the environments of the library AppContainer, if the root has any.
  ///
  /// Call it at each launch, directly after opening the container and before any switch. Without such environments, it
  /// takes one access to the file system.
  ///
  /// - **Files.** Every file is kept. The files of the active environment stay where they are. If a path is taken, the
  ///   other file is put into `.containers/aside`.
  /// - **Records.** Identifiers, names, descriptions, dates and counts are kept. So are the preferences of environments
  ///   in an app's sandbox.
  /// - **Interruptions.** If the process ends during the call, the next call continues.
  /// - **Live values.** Open them afterwards, because the active environment may get more files.
  ///
  /// - Returns: A Boolean value that indicates whether there were any.
  /// - Throws: ``AppContainerError/unreadableState(_:reason:)`` if the active environment is unknown,
  ///   ``AppContainerError/blocked(_:reason:)`` if environments have been switched already, or another
  ///   ``AppContainerError``. No file is lost.
  @discardableResult
  public func adoptLegacyContainers() throws(AppContainerError) -> Bool {
    try engine.exclusively("adoptLegacyContainers") { try $0.adoptLegacyContainers() }
  }
}
