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
///
/// The root may be that of an environment from an untrusted archive, so these records are not trusted either.
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
    return tolerating(try UntrustedPropertyList.decode(Record.self, at: url), else: nil)
  }

  /// The active container, whose files are in the root.
  ///
  /// Without settings, AppContainer assumes the default container. That is certain only if no container was activated.
  func active() throws(AppContainerError) -> UUID {
    for name in Self.settings where try folder.status(of: name) != nil {
      let url = folder.place(of: name)
      do {
        let text = try UntrustedPropertyList.decode(Settings.self, at: url).currentContainerUUID
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
  ///   ``AppContainerError/blocked(_:reason:)`` if environments have been switched already,
  ///   ``AppContainerError/settingsFailed(_:reason:)`` if the preferences of an environment cannot be converted, or
  ///   another ``AppContainerError``. No file is lost. After the preferences have been corrected or removed, the next
  ///   call continues.
  @discardableResult
  public func adoptLegacyContainers() throws(AppContainerError) -> Bool {
    try engine.exclusively("adoptLegacyContainers") { try $0.adoptLegacyContainers() }
  }
}

extension ContainerAccess {
  /// Takes over the containers of the library AppContainer.
  ///
  /// Each step can be repeated, so a call after an interruption continues. The list of the environments is written
  /// before the first file is moved. The settings of AppContainer are removed last.
  ///
  /// - Returns: `true` if there were any.
  func adoptLegacyContainers() throws -> Bool {
    guard let legacy = try LegacyContainers(in: root) else { return false }
    let active = try legacy.active()
    guard state.active == active || (state.active == AppContainer.Environment.defaultID && state.switches == 0) else {
      let reason = "environments have been switched since AppContainer was replaced, so its active container is unknown"
      throw AppContainerError.blocked(root.place(of: LegacyContainers.path), reason: reason)
    }
    var changed = state
    changed.active = active
    var records: [UUID: LegacyContainers.Record] = [:]
    for id in legacy.ids {
      try makeDirectories(of: id.uuidString)
      records[id] = try legacy.record(of: id)
      // A record that was moved already has been converted.
      guard let record = records[id] else { continue }
      let created = record.createdAt ?? Date()
      let info = EnvironmentInfo(
        uuid: id.uuidString, name: record.name ?? id.uuidString, description: record.description, createdAt: created)
      try store.write(info, for: id.uuidString)
      // A count beyond any real one must leave room for further activations.
      let count = min(max(0, record.activatedCount ?? 0), ContainerState.largestCounter / 2)
      changed.activations[id] = .init(count: count, date: record.lastActivatedDate)
    }
    if !legacy.ids.contains(active), !state.ids.contains(active) { try makeDirectories(of: active.uuidString) }
    let new = legacy.ids.filter { !changed.ids.contains($0) }
    changed.ids += new.sorted { first, second in
      (records[first]?.createdAt ?? .distantFuture) < (records[second]?.createdAt ?? .distantFuture)
    }
    if changed != state { try commit(changed) }
    for id in legacy.ids { try moveFiles(of: id, in: legacy, isActive: id == active) }
    try legacy.remove(from: root) { name in try hidden.putAside(name, of: legacy.folder) }
    try root.synchronize()
    return true
  }

  private func moveFiles(of id: UUID, in legacy: LegacyContainers, isActive: Bool) throws {
    let source = try Folder(legacy.name(of: id), in: legacy.folder)
    let data = try Folder(ContainerLayout.data(id), in: hidden)
    for name in try source.names() where name != LegacyContainers.record {
      // The active container's own directory may hold files that AppContainer moved away when it was first used.
      try merge(name, from: source, into: isActive ? root : data)
    }
    if !isActive { try convertPreferences(of: id, in: data) }
    if try source.status(of: LegacyContainers.record) != nil {
      let place = EntryPath(id.uuidString).appending(LegacyContainers.record)
      if try !ExclusiveRename.move(LegacyContainers.record, in: source, to: place, in: hidden) {
        try TreeRemover.remove(LegacyContainers.record, in: source)
      }
    }
    try data.synchronize()
    legacy.folder.removeIfEmpty(try legacy.name(of: id))
  }

  /// Moves an entry, without overwriting anything: directories are merged, and other conflicts are put aside.
  private func merge(_ path: EntryPath, from source: Folder, into target: Folder) throws {
    if try ExclusiveRename.move(path, in: source, to: path, in: target) { return }
    let kinds = [try source.status(of: path)?.kind, try target.status(of: path)?.kind]
    guard kinds == [.directory, .directory] else { return try hidden.putAside(path, of: source) }
    for name in try source.names(at: path) { try merge(path.appending(name), from: source, into: target) }
    source.removeIfEmpty(path)
  }

  /// Copies the preferences of a container to where a switch loads them from, if the system owns their directory.
  private func convertPreferences(of id: UUID, in data: Folder) throws {
    let directory = EntryPath("Library/Preferences")
    guard layout.permanent.contains(directory), try data.status(of: directory)?.kind == .directory else { return }
    var suites: [String: [String: Any]] = [:]
    for name in try data.names(at: directory) where name.text.hasSuffix(".plist") {
      let url = data.place(of: directory.appending(name))
      let contents = try DurableFile.read(url, limit: UntrustedPropertyList.largestSize)
      let values = try translating(UntrustedPropertyList.dictionary(in: contents)) { (error: any Error) in
        AppContainerError.settingsFailed(url.path, reason: "\(error)")
      }
      suites[DefaultsSettings.key(ofDomain: String(name.text.dropLast(".plist".count)))] = values
    }
    try DefaultsSettings.write(suites, into: layout.settingsURL(id))
  }
}
