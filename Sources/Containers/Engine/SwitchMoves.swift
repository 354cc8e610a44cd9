import FileSignals
import Foundation

/// Moves the entries of a journal, or moves them back.
///
/// Both can be resumed after an interruption at any point.
struct SwitchMoves {
  let journal: SwitchJournal
  let root: Folder
  let hidden: Folder
  let step: (SwitchStep) -> Void

  private func folder(_ path: EntryPath) throws(AppContainerError) -> Folder {
    try hidden.checkParents(of: [path])
    return try Folder(path, in: hidden)
  }

  /// Opens the directories of the entries, and checks that no link on the way to an entry leads elsewhere.
  ///
  /// - Returns: The directories that receive the leaving entries and contain the arriving ones.
  /// - Throws: ``AppContainerError/blocked(_:reason:)`` if there is a link, or another ``AppContainerError``.
  private func checkedFolders() throws(AppContainerError) -> (stash: Folder, source: Folder?) {
    if let replacement = journal.replacement { try hidden.checkParents(of: [replacement.path, replacement.old]) }
    let stash = try folder(journal.leavingTo)
    let source = try journal.arrivingFrom.map { path throws(AppContainerError) in try folder(path) }
    let paths = journal.leaving + journal.arriving
    for folder in [root, stash] { try folder.checkParents(of: paths) }
    try source?.checkParents(of: paths)
    return (stash, source)
  }

  /// Clears the destinations of the leaving files, in case another program has created entries there.
  ///
  /// Call it before the journal is written: entries that exist afterwards count as moved from the root.
  func clearTheWay() throws(AppContainerError) {
    let (stash, _) = try checkedFolders()
    for path in journal.leaving where try stash.status(of: path) != nil { try hidden.putAside(path, of: stash) }
  }

  /// Moves all entries.
  func perform() throws(AppContainerError) {
    let stash = try folder(journal.leavingTo)
    if let replacement = journal.replacement { try replace(replacement) }
    for path in journal.leaving {
      try makeParents(of: path, in: stash, like: root)
      try move(path, from: root, to: stash)
      step(.left)
    }
    var folders = [stash]
    if let source = journal.arrivingFrom {
      let source = try folder(source)
      folders.append(source)
      for path in journal.arriving {
        try makeParents(of: path, in: root, like: source)
        // Another program has created the entry in the meantime.
        if try root.status(of: path) != nil, try source.status(of: path) != nil { try hidden.putAside(path, of: root) }
        try move(path, from: source, to: root)
        step(.arrived)
      }
      removeParents(of: journal.arriving, in: source)
    }
    try synchronize(folders)
    step(.synchronized)
  }

  /// Moves all entries back that were moved.
  func undo() throws(AppContainerError) {
    // Another program may have written the journal, or may have put links in the way since then.
    let (stash, source) = try checkedFolders()
    var folders = [stash]
    if let source {
      folders.append(source)
      for path in journal.arriving.reversed() where try source.status(of: path) == nil {
        try makeParents(of: path, in: source, like: root)
        try move(path, from: root, to: source)
        step(.returned)
      }
    }
    for path in journal.leaving.reversed() where try stash.status(of: path) != nil {
      // An entry that another program has created at this path belongs to no environment.
      if try root.status(of: path) != nil { try hidden.putAside(path, of: root) }
      try makeParents(of: path, in: root, like: stash)
      try move(path, from: stash, to: root)
      step(.returned)
    }
    removeParents(of: journal.leaving, in: stash)
    if let replacement = journal.replacement { try restore(replacement) }
    try synchronize(folders)
    step(.synchronized)
  }

  // MARK: Single moves

  private func move(_ path: EntryPath, from old: Folder, to new: Folder) throws(AppContainerError) {
    // Another program may have removed the entry in the meantime.
    guard try old.status(of: path) != nil else { return }
    guard try ExclusiveRename.move(path, in: old, to: path, in: new) else {
      throw .blocked(new.place(of: path), reason: "it was created while files were being moved")
    }
  }

  private func replace(_ replacement: SwitchJournal.Replacement) throws(AppContainerError) {
    if try hidden.status(of: replacement.path) != nil {
      _ = try ExclusiveRename.move(replacement.path, in: hidden, to: replacement.old, in: hidden)
    }
    try hidden.makeDirectory(replacement.path)
  }

  private func restore(_ replacement: SwitchJournal.Replacement) throws(AppContainerError) {
    guard try hidden.status(of: replacement.old) != nil else { return }
    try TreeRemover.remove(replacement.path, in: hidden)
    _ = try ExclusiveRename.move(replacement.old, in: hidden, to: replacement.path, in: hidden)
  }

  // MARK: Directories that stay

  private func makeParents(
    of path: EntryPath, in folder: Folder, like model: Folder
  ) throws(AppContainerError) {
    for parent in path.ancestors where try folder.status(of: parent) == nil {
      try folder.makeDirectory(parent, permissions: model.status(of: parent)?.mode ?? 0o700)
    }
  }

  private func removeParents(of paths: [EntryPath], in folder: Folder) {
    let parents = Set(paths.flatMap(\.ancestors))
    for parent in parents.sorted(by: { $0.bytes.count > $1.bytes.count }) { folder.removeIfEmpty(parent) }
  }

  private func synchronize(_ folders: [Folder]) throws(AppContainerError) {
    try root.synchronize()
    for folder in folders { try folder.synchronize() }
    for parent in Set((journal.leaving + journal.arriving).flatMap(\.ancestors)) {
      for folder in folders + [root] where try folder.status(of: parent)?.kind == .directory {
        try folder.synchronize(parent)
      }
    }
  }
}

extension Folder {
  /// Throws an error if an entry on the way to one of these paths is not a directory, such as a link to another one.
  ///
  /// - Parameter paths: The paths, whose own entries are not examined.
  /// - Throws: ``AppContainerError/blocked(_:reason:)``, or another ``AppContainerError`` if an entry is unknown.
  fileprivate func checkParents(of paths: [EntryPath]) throws(AppContainerError) {
    // In this order, a directory is examined before the entries in it.
    for parent in Set(paths.flatMap(\.ancestors)).sorted() {
      guard let kind = try status(of: parent)?.kind, kind != .directory else { continue }
      throw .blocked(place(of: parent), reason: "it is not a directory")
    }
  }

  /// Moves an entry of another folder into this one, to a place of its own among the files that were in the way.
  func putAside(_ path: EntryPath, of folder: Folder) throws(AppContainerError) {
    let place = ContainerLayout.aside.appending(UUID.random().uuidString)
    try makeDirectory(ContainerLayout.aside)
    try makeDirectory(place)
    _ = try ExclusiveRename.move(path, in: folder, to: place.appending(path.name), in: self)
  }
}
