import AppGroups
import FileSignals
import Foundation

/// Reads and writes what is known of containers; most of it only for who holds the root's lock.
struct ContainerStore: Sendable {
  let layout: ContainerLayout

  // MARK: State

  /// The state, or `nil` if there is none yet.
  ///
  /// - Throws: ``AppContainerError`` if there is one that cannot be used, in which case nobody may guess which
  ///   container is active: with a wrong guess the next switch would mix the files of two.
  func state() throws(AppContainerError) -> ContainerState? {
    do {
      if let state = try state(at: layout.stateURL) { return state }
    } catch {
      guard case .unreadableState = error, let backup = try state(at: layout.backupURL) else { throw error }
      return backup
    }
    if let backup = try state(at: layout.backupURL) { return backup }
    let others = try containerNames().filter { $0 != Container.defaultUUID }
    guard others.isEmpty else {
      throw .unreadableState(layout.stateURL, reason: "it is gone, but there are \(others.count) containers")
    }
    return nil
  }

  private func state(at url: URL) throws(AppContainerError) -> ContainerState? {
    guard let data = try contents(of: url) else { return nil }
    let state = try decode(data, ContainerState.format, from: url)
    let names = state.uuids + [state.active]
    guard names.allSatisfy({ ContainerLayout.uuid($0) == $0 }), state.uuids.contains(state.active) else {
      throw .unreadableState(url, reason: "it names containers that cannot be")
    }
    return state
  }

  /// Makes a state the one that counts.
  func write(_ state: ContainerState, to file: ExclusiveFile) throws(AppContainerError) {
    try commit(prepare(state, for: file), state, file)
  }

  /// Writes the state beside its place, so that all that can fail for want of space has not.
  func prepare(_ state: ContainerState, for file: ExclusiveFile) throws(AppContainerError) -> PreparedWrite {
    let data = try encode(state, ContainerState.format)
    return try wrapped { () throws(DurableFileError) in try file.prepare(data, durability: .storage) }
  }

  /// Puts a prepared state in its place, which is the one step that decides, and then a copy of it.
  func commit(
    _ prepared: PreparedWrite, _ state: ContainerState, _ file: ExclusiveFile, step: (SwitchStep) -> Void = { _ in }
  ) throws(AppContainerError) {
    try wrapped { () throws(DurableFileError) in try prepared.commit() }
    step(.committed)
    do {
      try file.synchronizeDirectory()
      try DurableFile.write(encode(state, ContainerState.format), to: layout.backupURL, durability: .process)
    } catch {
      // What counts is in its place. The next change writes both again.
    }
    step(.backedUp)
  }

  // MARK: Journal

  func journal() throws(AppContainerError) -> SwitchJournal? {
    guard let data = try contents(of: layout.journalURL) else { return nil }
    return try decode(data, SwitchJournal.format, from: layout.journalURL)
  }

  func write(_ journal: SwitchJournal) throws(AppContainerError) {
    let data = try encode(journal, SwitchJournal.format)
    try wrapped { () throws(DurableFileError) in try DurableFile.write(data, to: layout.journalURL) }
  }

  /// Removes the journal; to do so again after a power failure does no harm.
  func removeJournal(in hidden: Folder) throws(AppContainerError) {
    try TreeRemover.remove(EntryPath(layout.journalURL.lastPathComponent), in: hidden)
  }

  // MARK: Containers

  /// What is known of a container; made up, with the reason, if its record cannot be read.
  func container(_ uuid: String, in state: ContainerState) -> Container {
    let activation = state.activations[uuid] ?? .init()
    var container: Container
    do {
      let info = try info(uuid)
      container = Container(uuid: uuid, name: info.name, description: info.description, createdAt: info.createdAt)
    } catch {
      container = Container(uuid: uuid, name: uuid, createdAt: Date(timeIntervalSince1970: 0))
      container.problem = error.description
    }
    container.lastActivatedDate = activation.date
    container.activatedCount = activation.count
    return container
  }

  func info(_ name: String) throws(AppContainerError) -> ContainerInfo {
    let url = layout.infoURL(name)
    guard let data = try contents(of: url) else { throw .file(.notFound(url)) }
    return try decode(data, ContainerInfo.format, from: url)
  }

  func write(_ info: ContainerInfo, for name: String) throws(AppContainerError) {
    let data = try encode(info, ContainerInfo.format)
    try wrapped { () throws(DurableFileError) in try DurableFile.write(data, to: layout.infoURL(name)) }
  }

  /// The directories of containers that there are, whatever the state says; a link is none.
  func containerNames() throws(AppContainerError) -> [String] {
    let hidden = try Folder(layout.hiddenURL)
    return try hidden.names()
      .filter { ContainerLayout.uuid($0.text) == $0.text && hidden.status(of: $0)?.kind == .directory }
      .map(\.text)
  }

  // MARK: Files

  private func contents(of url: URL) throws(AppContainerError) -> Data? {
    do {
      return try DurableFile.read(url)
    } catch .notFound {
      return nil
    } catch {
      if case .notARegularFile(let url, let kind) = error {
        throw .unreadableState(url, reason: "it is \(kind), not a regular file")
      }
      throw .file(error)
    }
  }

  private func decode<Record>(
    _ data: Data, _ format: FileFormat<Record>, from url: URL
  ) throws(AppContainerError) -> Record {
    do {
      return try format.decode(data)
    } catch {
      throw AppContainerError(undecodable: url, error)
    }
  }

  private func encode<Record>(_ record: Record, _ format: FileFormat<Record>) throws(AppContainerError) -> Data {
    do {
      return try format.encode(record)
    } catch {
      // Dates and texts can always be written; what remains is a clock that shows no number.
      throw .unusableRoot(layout.root, reason: "\(error)")
    }
  }
}
