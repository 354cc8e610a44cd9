import AppGroups
import FileSignals
import Foundation

/// Reads and writes the state and the records of a root.
///
/// Most functions require the root's lock.
struct ContainerStore: Sendable {
  let layout: ContainerLayout
  let records: EnvironmentRecords
  private let memory = StateMemory()

  init(layout: ContainerLayout) {
    self.layout = layout
    records = EnvironmentRecords(in: layout.hiddenURL)
  }

  // MARK: State

  /// Returns the state, or `nil` if there is none yet.
  ///
  /// - Throws: ``AppContainerError`` if the state is unusable. The active environment must never be guessed: after a
  ///   wrong guess, the next switch would mix the files of two environments.
  func state() throws(AppContainerError) -> ContainerState? {
    do {
      if let state = try state(at: layout.stateURL) { return state }
    } catch {
      guard case .unreadableState = error, let backup = try state(at: layout.backupURL) else { throw error }
      return backup
    }
    if let backup = try state(at: layout.backupURL) { return backup }
    let others = try environmentIDs().filter { $0 != AppContainer.Environment.defaultID }
    guard others.isEmpty else {
      throw .unreadableState(layout.stateURL, reason: "it is missing, but environments exist (\(others.count))")
    }
    return nil
  }

  /// Returns the content of the state file, or `nil` if it is missing.
  func stateData() throws(AppContainerError) -> Data? { try contents(of: layout.stateURL) }

  /// Returns who wrote the state, or who has begun a switch; `nil` if it is unknown.
  func provenance(isSwitching: Bool = false) -> Provenance? {
    let url = isSwitching ? layout.journalURL : layout.stateURL
    return tolerating(else: nil) {
      try contents(of: url).flatMap { ProvenanceRecord.find(VersionMark(content: $0), ofFileAt: url.path) }
    }
  }

  private func state(at url: URL) throws(AppContainerError) -> ContainerState? {
    guard let data = try contents(of: url) else { return nil }
    return try state(from: data, at: url)
  }

  /// Decodes the state from the content of a file.
  func state(from data: Data, at url: URL) throws(AppContainerError) -> ContainerState {
    if let state = memory.state(from: data) { return state }
    let state = try decode(data, ContainerState.format, from: url)
    guard state.ids.contains(state.active) else {
      throw .unreadableState(url, reason: "the active environment is not in its list")
    }
    memory.keep(state, as: data)
    return state
  }

  /// Writes a state, which takes effect at once.
  func write(_ state: ContainerState, to file: ExclusiveFile) throws(AppContainerError) {
    try commit(prepare(state, for: file), state, file)
  }

  /// Writes the state to a temporary file, so that the commit cannot fail for lack of space.
  func prepare(_ state: ContainerState, for file: ExclusiveFile) throws(AppContainerError) -> PreparedWrite {
    let data = try encode(state, ContainerState.format)
    memory.keep(state, as: data)
    return try wrapped(file.prepare(data, durability: .storage))
  }

  /// Renames a prepared state into place, which is the step that decides, and then writes its backup.
  func commit(
    _ prepared: PreparedWrite, _ state: ContainerState, _ file: ExclusiveFile, step: (SwitchStep) -> Void = { _ in }
  ) throws(AppContainerError) {
    try wrapped(prepared.commit())
    step(.committed)
    // The state is in place. The next change writes both files again.
    tolerating {
      try file.synchronizeDirectory()
      let data = try memory.data(of: state) ?? encode(state, ContainerState.format)
      try DurableFile.write(data, to: layout.backupURL, durability: .process)
    }
    step(.backedUp)
  }

  // MARK: Journal

  /// Returns the content of the journal, or `nil` if no move is in progress.
  func journalData() throws(AppContainerError) -> Data? { try contents(of: layout.journalURL) }

  /// Returns the journal, or `nil` if no move is in progress.
  ///
  /// - Throws: ``AppContainerError`` if it cannot be read, or if another program must have written it.
  func journal() throws(AppContainerError) -> SwitchJournal? {
    guard let data = try journalData() else { return nil }
    let journal = try decode(data, SwitchJournal.format, from: layout.journalURL)
    if let problem = journal.problem(hidden: layout.hidden) {
      throw .unreadableState(layout.journalURL, reason: problem)
    }
    return journal
  }

  func write(_ journal: SwitchJournal) throws(AppContainerError) {
    let data = try encode(journal, SwitchJournal.format)
    try wrapped(DurableFile.write(data, to: layout.journalURL))
  }

  /// Removes the journal.
  ///
  /// Removing it again after a power failure does no harm.
  func removeJournal(in hidden: Folder) throws(AppContainerError) {
    try TreeRemover.remove(EntryPath(layout.journalURL.lastPathComponent), in: hidden)
  }

  // MARK: Environments

  /// Returns an environment with its record, or with placeholders and the reason if the record cannot be read.
  ///
  /// - Parameters:
  ///   - id: The environment.
  ///   - state: The state.
  ///   - isTrusting: A Boolean value that indicates whether to rely on a known record that no process can have replaced.
  ///   - written: A record that has just been written, and is not read if it is the environment's.
  ///   - onFailure: Receives the reason.
  /// - Returns: The environment.
  func environment(
    _ id: UUID, in state: ContainerState, isTrusting: Bool = false, written: EnvironmentInfo? = nil,
    onFailure: (AppContainerError) -> Void = { _ in }
  ) -> AppContainer.Environment {
    let activation = state.activations[id] ?? .init()
    var environment: AppContainer.Environment
    do throws(AppContainerError) {
      let info: EnvironmentInfo
      if let written, written.uuid == id.uuidString {
        info = written
      } else {
        info = try records.info(id, isTrusting: isTrusting) { () throws(AppContainerError) in try self.info(id) }
      }
      environment = .init(id: id, name: info.name, description: info.description, createdAt: info.createdAt)
    } catch {
      environment = .init(id: id, name: id.uuidString, createdAt: Date(timeIntervalSince1970: 0))
      environment.problem = error.description
      onFailure(error)
    }
    environment.lastActivatedAt = activation.date
    environment.activationCount = activation.count
    return environment
  }

  func info(_ id: UUID) throws(AppContainerError) -> EnvironmentInfo {
    let url = layout.infoURL(id.uuidString)
    guard let data = try contents(of: url) else { throw .file(.notFound(url)) }
    return try decode(data, EnvironmentInfo.format, from: url)
  }

  /// Writes a record into the directory of an environment, which may be new.
  func write(_ info: EnvironmentInfo, for name: String) throws(AppContainerError) {
    let data = try encode(info, EnvironmentInfo.format)
    if let id = ContainerLayout.id(name) { records.forget(id) }
    try wrapped(DurableFile.write(data, to: layout.infoURL(name)))
  }

  /// Returns the environments that have a directory, even if the state does not list them.
  ///
  /// Links and directories with other names are ignored.
  func environmentIDs() throws(AppContainerError) -> [UUID] {
    let hidden = try Folder(layout.hiddenURL)
    var ids: [UUID] = []
    for name in try hidden.names() where try hidden.status(of: name)?.kind == .directory {
      if let id = ContainerLayout.id(name.text) { ids.append(id) }
    }
    return ids
  }

  // MARK: Files

  private func contents(of url: URL) throws(AppContainerError) -> Data? {
    do {
      return try DurableFile.readIfPresent(url)
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
    try translating(format.decode(data)) { (error: any Error) in AppContainerError(undecodable: url, error) }
  }

  private func encode<Record>(_ record: Record, _ format: FileFormat<Record>) throws(AppContainerError) -> Data {
    // Dates and strings can always be encoded. The only possible cause is a clock that returns an invalid date.
    try translating(format.encode(record)) { (error: any Error) in
      AppContainerError.unusableRoot(layout.root, reason: "\(error)")
    }
  }
}
