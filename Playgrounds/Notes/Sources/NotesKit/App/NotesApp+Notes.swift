public import Foundation
import SignalsKit
import TokenClient

/// Changes of notes.
///
/// Each is one transaction in the database of the current user, and one event. It may name the environment that its
/// author saw. If another one has become active in the meantime, nothing is changed.
extension NotesApp {
  /// Adds a note.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - environment: The name of the environment that must be active; by default any.
  /// - Returns: The note. It is on disk, and survives the crash of any process.
  /// - Throws: ``NotesError``, or an error of the database.
  @discardableResult
  public func add(_ text: String, in environment: String? = nil) throws -> Note {
    let note = Note(text: try checked(text))
    return try change(.added, note.id, in: environment) { transaction in
      try transaction.put(note)
      // The text is a note now, so it must not come back as a draft.
      try transaction.deleteAll(Draft.self)
      return note
    }
  }

  /// Replaces the text of a note.
  ///
  /// - Parameters:
  ///   - id: The note.
  ///   - text: The new text.
  ///   - environment: The name of the environment that must be active; by default any.
  /// - Throws: ``NotesError``, or an error of the database.
  public func edit(_ id: UUID, text: String, in environment: String? = nil) throws {
    let text = try checked(text)
    try change(.edited, id, in: environment) { transaction in
      // Setting single columns keeps what another process has changed in the row.
      let count = try transaction.updateAll(Note.where { $0.id == id }) {
        $0.text.set(to: text)
        $0.edited.set(to: Date())
      }
      guard count > 0 else { throw NotesError.noNote(id) }
    }
  }

  /// Pins or unpins a note.
  ///
  /// - Parameters:
  ///   - id: The note.
  ///   - isPinned: A Boolean value that indicates whether to pin it.
  ///   - environment: The name of the environment that must be active; by default any.
  /// - Throws: ``NotesError``, or an error of the database.
  public func pin(_ id: UUID, _ isPinned: Bool = true, in environment: String? = nil) throws {
    try change(.pinned, id, in: environment) { transaction in
      // Flags differ between environments, so they are read where the environment cannot change.
      guard flags.allowsPinning else { throw NotesError.disabled(feature: "Pinning") }
      let count = try transaction.updateAll(Note.where { $0.id == id }) { $0.isPinned.set(to: isPinned) }
      guard count > 0 else { throw NotesError.noNote(id) }
    }
  }

  /// Removes a note.
  ///
  /// - Parameters:
  ///   - id: The note.
  ///   - environment: The name of the environment that must be active; by default any.
  /// - Throws: ``NotesError``, or an error of the database.
  public func remove(_ id: UUID, in environment: String? = nil) throws {
    try change(.removed, id, in: environment) { transaction in
      guard try transaction.deleteAll(Note.where { $0.id == id }) > 0 else { throw NotesError.noNote(id) }
    }
  }

  /// Reads the notes of the current user once; ``screen`` follows them.
  ///
  /// - Parameter words: Words that each note must contain.
  /// - Returns: The notes.
  /// - Throws: ``NotesError/notLoggedIn(environment:)``, or an error of the database.
  public func notes(containing words: [String] = []) throws -> [Note] {
    try userContext().store.persistence.read { try $0.all(Note.containing(words)) }
  }

  // MARK: One change

  private func change<Result>(
    _ kind: NoteEvent.Kind, _ note: UUID, in wanted: String?, _ body: (WriteTransaction) throws -> Result
  ) throws -> Result {
    // This database belongs to one user of one environment. After a switch or a logout it throws, and never writes into
    // another one.
    let context = try userContext()
    return try context.store.persistence.write { transaction in
      // A switch waits for the transaction, so this cannot change before the end of it. Outside, it could.
      let active = environments.active.value
      if let wanted, wanted != active.name { throw NotesError.otherEnvironment(wanted: wanted, active: active.name) }
      let result = try body(transaction)
      // Inside the transaction, the event goes to the log of the same environment. If the process is killed before the
      // commit, the log has an event without a change, which is harmless: events only say where to look.
      try log.append(NoteEvent(kind: kind, note: note, user: context.id, environment: active.id))
      return result
    }
  }

  func userContext() throws -> AppContext<Account> {
    let context = sessions.current.value
    guard !context.isStandard else { throw NotesError.notLoggedIn(environment: environments.active.value.name) }
    return context
  }

  private func checked(_ text: String) throws -> String {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !text.isEmpty else { throw NotesError.empty }
    let limit = flags.maximumLength
    guard text.count <= limit else { throw NotesError.tooLong(count: text.count, limit: limit) }
    return text
  }
}
