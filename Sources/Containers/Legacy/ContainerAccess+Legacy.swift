import FileSignals
import Foundation

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
      changed.activations[id] = .init(count: record.activatedCount ?? 0, date: record.lastActivatedDate)
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
      let contents = try DurableFile.read(data.place(of: directory.appending(name)))
      let values = try PropertyListSerialization.propertyList(from: contents, format: nil) as? [String: Any]
      suites[DefaultsSettings.key(ofDomain: String(name.text.dropLast(".plist".count)))] = values
    }
    try DefaultsSettings.write(suites, into: layout.settingsURL(id))
  }
}
