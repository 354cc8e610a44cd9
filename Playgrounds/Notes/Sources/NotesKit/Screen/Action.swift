public import Foundation

/// A change that a viewer asks for, as JSON such as `{"add": {"text": "Milk", "in": "Demo"}}`.
///
/// The changes of notes name the environment that the viewer showed, so a click that comes too late changes nothing.
public enum Action: Codable, Sendable {
  case add(text: String, in: String)
  case edit(note: UUID, text: String, in: String)
  case pin(note: UUID, isPinned: Bool, in: String)
  case remove(note: UUID, in: String)
  case type(text: String, in: String)
  case set(textSize: Settings.TextSize?, showsActivity: Bool?)
  case activate(environment: String)
  case logIn(name: String)
  case logOut
}

extension NotesApp {
  /// Performs the action of a viewer.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - drafts: The keeper of drafts.
  /// - Returns: The identity of an added note.
  /// - Throws: ``NotesError``, or an error of the package. Nothing has changed then.
  public func perform(
    _ action: Action, drafts: DraftKeeper<some Clock<Duration>>
  ) async throws -> UUID? {
    switch action {
    case .add(let text, let environment):
      let note = try add(text, in: environment)
      drafts.discard()
      return note.id
    case .edit(let note, let text, let environment): try edit(note, text: text, in: environment)
    case .pin(let note, let isPinned, let environment): try pin(note, isPinned, in: environment)
    case .remove(let note, let environment): try remove(note, in: environment)
    case .type(let text, let environment): try drafts.type(text, in: environment)
    case .set(let textSize, let showsActivity): try await set(textSize: textSize, showsActivity: showsActivity)
    case .activate(let environment): try await environments.activate(named: environment)
    case .logIn(let name): try await logIn(name)
    case .logOut: try await logOut()
    }
    return nil
  }
}
