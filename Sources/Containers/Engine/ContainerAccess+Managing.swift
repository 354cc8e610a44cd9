import AppGroups
import FileSignals
import Foundation

extension ContainerAccess {
  /// Creates an environment, whose directory `fill` may populate.
  ///
  /// It is added to the list when everything else has succeeded.
  func make(
    name: String, description: String?, fill: (_ directory: Folder) throws -> Void = { _ in }
  ) throws -> AppContainer.Environment {
    try checkName(name)
    let id = UUID.random()
    let unfinished = ContainerLayout.unfinished(id)
    do {
      try makeDirectories(of: unfinished)
      let info = EnvironmentInfo(uuid: id.uuidString, name: name, description: description, createdAt: Date())
      try store.write(info, for: unfinished)
      let directory = try Folder(EntryPath(unfinished), in: hidden)
      try fill(directory)
      try directory.synchronize()
      _ = try ExclusiveRename.move(EntryPath(unfinished), in: hidden, to: EntryPath(id.uuidString), in: hidden)
      var changed = state
      changed.ids.append(id)
      do {
        try commit(changed)
      } catch {
        discard(EntryPath(id.uuidString))
        throw error
      }
    } catch {
      discard(EntryPath(unfinished))
      throw error
    }
    return environment(id)
  }

  /// Copies an environment.
  func clone(
    _ id: UUID, name: String?, description: String?, progress: @escaping (Int) -> Bool
  ) throws -> AppContainer.Environment {
    try check(id)
    let original = environment(id)
    return try withContents(of: id) { contents in
      try make(name: name ?? original.name, description: description ?? original.description) { directory in
        // The other thread opens the directories itself, because it has other descriptors.
        let (files, settings) = (contents.files.url, contents.settings.url)
        let (entries, place) = (contents.entries.sorted(), directory.url)
        try SeparateDescriptors.run(staging: hidden.url) { descriptors throws(AppContainerError) in
          var copier = TreeCopier(descriptors: descriptors, progress: progress)
          let directory = try Folder(place)
          try copier.copy(entries, of: Folder(files), into: Folder(EntryPath("data"), in: directory))
          let kept = try Folder(settings)
          try copier.copy(
            kept.names().sorted(), of: kept, into: Folder(EntryPath(ContainerLayout.settings), in: directory))
        }
        // The original may be removed as soon as the copy is in the list.
        try FileSystemFlush.wait(for: directory)
      }
    }
  }

  /// Runs a closure with the contents of an environment, while the root cannot change otherwise.
  func withContents<Result>(of id: UUID, _ body: (EnvironmentContents) throws -> Result) throws -> Result {
    let settings = try Folder(EntryPath("\(id.uuidString)/\(ContainerLayout.settings)"), in: hidden)
    guard id == state.active else {
      let data = try Folder(ContainerLayout.data(id), in: hidden)
      return try body(EnvironmentContents(files: data, entries: data.names(), settings: settings))
    }
    try flush()
    return try engine.scope.rest(into: changes) {
      var plan = SwitchPlan(rules: rules)
      return try body(EnvironmentContents(files: root, entries: plan.leaving(root), settings: settings))
    }
  }

  /// Removes an environment; if it is active, the default one is activated first.
  func delete(_ id: UUID) throws {
    try check(id)
    let defaultID = AppContainer.Environment.defaultID
    if id == defaultID { throw AppContainerError.defaultEnvironment(operation: "deleted") }
    if id == state.active { try activate(defaultID) }
    try remove([id], from: state)
  }

  /// Removes environments from the list, and then from the disk.
  private func remove(_ ids: [UUID], from state: ContainerState) throws {
    var changed = state
    changed.ids.removeAll { ids.contains($0) }
    let names = ids.map(\.uuidString)
    for id in ids { changed.activations[id] = nil }
    let discarded = EntryPath(ContainerLayout.discarded())
    try hidden.makeDirectory(discarded)
    do {
      for name in names {
        _ = try ExclusiveRename.move(EntryPath(name), in: hidden, to: discarded.appending(name), in: hidden)
      }
      try commit(changed)
    } catch {
      for name in names where try hidden.status(of: discarded.appending(name)) != nil {
        _ = try ExclusiveRename.move(discarded.appending(name), in: hidden, to: EntryPath(name), in: hidden)
      }
      hidden.removeIfEmpty(discarded)
      throw error
    }
    for id in ids { store.records.forget(id) }
    discardAfterwards(discarded)
  }

  /// Removes all files and settings of an environment, but not the environment itself.
  func clean(_ id: UUID) throws {
    try check(id)
    let name = ContainerLayout.discarded()
    let discarded = EntryPath(name)
    let settings = EntryPath("\(id.uuidString)/\(ContainerLayout.settings)")
    if id == state.active {
      // State in memory may be unsaved, and is needed if the environment stays as it is.
      try flush()
      try makeDirectories(of: name)
      _ = try engine.scope.switchContents(into: changes) {
        var changed = state
        // Other processes must read everything again, as after a switch.
        changed.switches += 1
        try move(
          committing: changed, leavingTo: ContainerLayout.data(name), arrivingFrom: nil,
          replacing: .init(path: settings, old: discarded.appending("old")), loading: name)
        return engine.adoption(of: state)
      } publishing: { adoption in
        engine.adopt(adoption)
      }
    } else {
      try makeDirectories(of: name)
      let data = ContainerLayout.data(id)
      try moveAll(
        [
          (data, discarded.appending("old data")), (ContainerLayout.data(name), data),
          (settings, discarded.appending("old")), (discarded.appending(ContainerLayout.settings), settings),
        ], between: [discarded, EntryPath(id.uuidString)])
    }
    discardAfterwards(discarded)
  }

  /// Moves entries between directories of the hidden directory in this order, or none of them, and waits for the disk.
  private func moveAll(
    _ moves: [(source: EntryPath, destination: EntryPath)], between directories: [EntryPath]
  ) throws {
    var done: [(source: EntryPath, destination: EntryPath)] = []
    do {
      for (source, destination) in moves {
        let isMoved = try ExclusiveRename.move(source, in: hidden, to: destination, in: hidden)
        if isMoved { done.append((source, destination)) }
      }
      for directory in directories { try hidden.synchronize(directory) }
    } catch {
      for (source, destination) in done.reversed() {
        // If this fails, too, the first error is the one to report.
        do { _ = try ExclusiveRename.move(destination, in: hidden, to: source, in: hidden) } catch {}
      }
      throw error
    }
  }

  /// Activates the default environment, and removes all others and the excludes.
  func reset() throws {
    let defaultID = AppContainer.Environment.defaultID
    try activate(defaultID)
    var changed = state
    changed.excludes = []
    try remove(state.ids.filter { $0 != defaultID }, from: changed)
    discard(ContainerLayout.aside)
  }

  func update(_ id: UUID, name: String, description: String?) throws -> AppContainer.Environment {
    try check(id)
    try checkName(name, of: id)
    let created: Date
    do {
      created = try store.info(id).createdAt
    } catch {
      // The environment may have data that only a newer version can write.
      if case .newerState = error { throw error }
      created = Date()
    }
    var changed = state
    changed.revision += 1
    // First, because all processes rely on the records that they know until the revision is raised.
    try store.write(changed, to: file)
    engine.step(.raised)
    let record = id.uuidString
    let info = EnvironmentInfo(uuid: record, name: name, description: description, createdAt: created)
    try store.write(info, for: record)
    accept(changed, written: info)
    return store.environment(id, in: changed, written: info)
  }

  func setExcludes(_ paths: [String]) throws {
    var changed = state
    changed.excludes = try paths.map { path throws(AppContainerError) in try ExcludeRules.normalized(path) }
    try commit(changed)
  }
}

/// The contents of an environment, for copies and archives.
struct EnvironmentContents {
  /// The directory that contains the entries.
  let files: Folder

  /// The entries of the environment, relative to `files`.
  ///
  /// A directory includes everything in it.
  let entries: [EntryPath]

  /// The settings that were kept outside of the files.
  let settings: Folder
}
