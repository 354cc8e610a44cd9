public import SignalsKit
import TokenClient

/// Saves the draft of a user while it is typed, half a second after the last key.
///
/// The clock is a parameter, so a test saves a draft without waiting.
public final class DraftKeeper<C: Clock>: Sendable where C.Duration == Duration {
  /// A text that is not saved yet, with the database that it belongs to.
  private struct Unsaved: Sendable {
    let number: Int
    let text: String
    let context: AppContext<Account>
  }

  private let app: NotesApp
  private let unsaved = MutableProperty<Unsaved?>(nil)
  private let failed = Emitter<any Error, Never>()
  private let subscriptions = MutableProperty<[SignalSubscription]>([])

  /// The errors of saving, after which the next key saves again.
  public var failures: some Signal<any Error, Never> { failed }

  /// Creates a keeper.
  ///
  /// - Parameters:
  ///   - app: The app, which the keeper keeps alive.
  ///   - clock: The clock that measures the pause.
  public init(_ app: NotesApp, clock: C = ContinuousClock()) {
    self.app = app
    subscriptions.value = [
      unsaved.changes.debounce(for: .milliseconds(500), clock: clock).sink { [weak self] _ in self?.save() },
      // Before this process switches, it saves what is only in memory. The hook runs while the old environment is active.
      app.environments.onFlush { [weak self] in self?.save() },
    ]
  }

  /// Remembers a text for the current user.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - environment: The name of the environment that must be active; by default any.
  /// - Throws: ``NotesError``.
  public func type(_ text: String, in environment: String? = nil) throws {
    let context = try app.userContext()
    let active = app.environments.active.value.name
    if let environment, environment != active {
      throw NotesError.otherEnvironment(wanted: environment, active: active)
    }
    unsaved.modify { $0 = Unsaved(number: ($0?.number ?? 0) + 1, text: text, context: context) }
  }

  /// Forgets the text that is not saved yet, because it has become a note.
  public func discard() { unsaved.value = nil }

  /// Saves the text now.
  public func save() {
    guard let draft = unsaved.value else { return }
    do {
      // The database is that of the moment of typing. So a text never reaches another user or environment.
      try draft.context.store.persistence.write { try $0.put(Draft(text: draft.text)) }
    } catch DatabaseError.switched, DatabaseError.closed {
      // Another process has switched, or the user has logged out. There is no place for the text any more.
    } catch {
      return failed.send(error)
    }
    // A key that was pressed during the save is not saved yet.
    unsaved.modify { if $0?.number == draft.number { $0 = nil } }
  }
}
