import AppGroups
import FileSignals
import Foundation

extension ContainerAccess {
  /// Makes a container, whose directory `fill` may put something into; it is in the list when all is done, or not at
  /// all.
  func make(
    name: String, description: String?, fill: (_ directory: Folder) throws -> Void = { _ in }
  ) throws -> Container {
    let uuid = UUID.random().uuidString
    let unfinished = ContainerLayout.unfinished(uuid)
    do {
      try makeDirectories(of: unfinished)
      let info = ContainerInfo(uuid: uuid, name: name, description: description, createdAt: Date())
      try store.write(info, for: unfinished)
      let directory = try Folder(EntryPath(unfinished), in: hidden)
      try fill(directory)
      try directory.synchronize()
      _ = try ExclusiveRename.move(EntryPath(unfinished), in: hidden, to: EntryPath(uuid), in: hidden)
      var changed = state
      changed.uuids.append(uuid)
      do {
        try commit(changed)
      } catch {
        discard(EntryPath(uuid))
        throw error
      }
    } catch {
      discard(EntryPath(unfinished))
      throw error
    }
    return container(uuid)
  }

  /// Copies a container.
  func clone(_ uuid: String, name: String?, description: String?, progress: @escaping (Int) -> Bool) throws -> Container
  {
    let uuid = try known(uuid)
    let original = container(uuid)
    return try withContents(of: uuid) { contents in
      try make(name: name ?? original.name, description: description ?? original.description) { directory in
        var copier = TreeCopier(progress: progress)
        let data = try Folder(EntryPath("data"), in: directory)
        for entry in contents.entries {
          for parent in entry.ancestors {
            try data.makeDirectory(parent, permissions: contents.files.status(of: parent)?.permissions ?? 0o700)
          }
          try copier.copy(entry, in: contents.files, to: entry, in: data)
        }
        let settings = EntryPath(ContainerLayout.settings)
        for name in try contents.settings.names() {
          let copy = try Folder(settings, in: directory)
          try copier.copy(name, in: contents.settings, to: name, in: copy)
        }
        // The original may be removed as soon as the copy is in the list.
        try FileSystemFlush.wait(for: directory)
      }
    }
  }

  /// Runs a closure with the contents of a container, which nobody who knows of containers changes meanwhile.
  func withContents<Result>(of uuid: String, _ body: (ContainerContents) throws -> Result) throws -> Result {
    let settings = try Folder(EntryPath("\(uuid)/\(ContainerLayout.settings)"), in: hidden)
    guard uuid == state.active else {
      let data = try Folder(ContainerLayout.data(uuid), in: hidden)
      return try body(ContainerContents(files: data, entries: data.names(), settings: settings))
    }
    try flush()
    return try engine.scope.rest {
      var plan = SwitchPlan(rules: rules)
      return try body(ContainerContents(files: root, entries: plan.leaving(root), settings: settings))
    }
  }

  /// Removes a container; the default one takes its place if it is active.
  func delete(_ uuid: String) throws {
    let uuid = try known(uuid)
    if uuid == Container.defaultUUID { throw AppContainerError.defaultContainer(operation: "deleted") }
    if uuid == state.active { try activate(Container.defaultUUID) }
    try remove([uuid], from: state)
  }

  /// Removes containers from the list, and then from the disk.
  private func remove(_ uuids: [String], from state: ContainerState) throws {
    var changed = state
    changed.uuids.removeAll { uuids.contains($0) }
    for uuid in uuids { changed.activations[uuid] = nil }
    let discarded = EntryPath(ContainerLayout.discarded())
    try hidden.makeDirectory(discarded)
    do {
      for uuid in uuids {
        _ = try ExclusiveRename.move(EntryPath(uuid), in: hidden, to: discarded.appending(uuid), in: hidden)
      }
      try commit(changed)
    } catch {
      for uuid in uuids where hidden.status(of: discarded.appending(uuid)) != nil {
        _ = try ExclusiveRename.move(discarded.appending(uuid), in: hidden, to: EntryPath(uuid), in: hidden)
      }
      hidden.removeIfEmpty(discarded)
      throw error
    }
    discard(discarded)
  }

  /// Removes what a container holds, and keeps the container.
  func clean(_ uuid: String) throws {
    let uuid = try known(uuid)
    let name = ContainerLayout.discarded()
    let discarded = EntryPath(name)
    let settings = EntryPath("\(uuid)/\(ContainerLayout.settings)")
    if uuid == state.active {
      // What memory holds may never have been written, and is wanted again if the container stays as it is.
      try flush()
      try makeDirectories(of: name)
      try engine.scope.swap {
        var changed = state
        // Other processes have to let go of what they hold, as if it were another container's.
        changed.switches += 1
        try move(
          committing: changed, leavingTo: ContainerLayout.data(name), arrivingFrom: nil,
          replacing: .init(path: settings, old: discarded.appending("old")), loading: name)
      }
      accept(state)
    } else {
      try hidden.makeDirectory(discarded)
      let data = ContainerLayout.data(uuid)
      _ = try ExclusiveRename.move(data, in: hidden, to: discarded.appending("data"), in: hidden)
      _ = try ExclusiveRename.move(settings, in: hidden, to: discarded.appending(ContainerLayout.settings), in: hidden)
      try makeDirectories(of: uuid)
    }
    discard(discarded)
  }

  /// Goes back to the default container alone, with nothing excluded.
  func reset() throws {
    try activate(Container.defaultUUID)
    var changed = state
    changed.excludes = []
    try remove(state.uuids.filter { $0 != Container.defaultUUID }, from: changed)
    discard(ContainerLayout.aside)
  }

  func update(_ uuid: String, name: String, description: String?) throws -> Container {
    let uuid = try known(uuid)
    let created: Date
    do {
      created = try store.info(uuid).createdAt
    } catch {
      // A newer version of the program knows more of the container than could be written here.
      if case .newerState = error { throw error }
      created = Date()
    }
    var changed = state
    changed.revision += 1
    // All that can fail for want of space comes before the first thing that is seen.
    let prepared = try store.prepare(changed, for: file)
    try store.write(ContainerInfo(uuid: uuid, name: name, description: description, createdAt: created), for: uuid)
    try store.commit(prepared, changed, file)
    accept(changed)
    return container(uuid)
  }

  func setExcludes(_ paths: [String]) throws {
    var changed = state
    changed.excludes = try paths.map { path throws(AppContainerError) in try ExcludeRules.normalized(path) }
    try commit(changed)
  }
}

/// What a container holds, for copies and archives.
struct ContainerContents {
  /// The directory in which the entries lie.
  let files: Folder

  /// What belongs to the container, from there on; all that is in a directory does.
  let entries: [EntryPath]

  /// What was kept outside of files.
  let settings: Folder
}
