public import SignalsKit
import TokenClient

extension NotesApp {
  /// Returns everything that a user interface shows, as one property.
  ///
  /// It is computed from a dozen values of six kinds: environments, a session, queries, a file, flags and presence. A
  /// switch changes most of them in one change, so no subscriber ever receives a mix of two environments.
  ///
  /// - Returns: A property that observes all of them for as long as it or a subscription to it lives. A process that
  ///   shows nothing does not create it, and then nothing is observed.
  public func screen() -> Property<Screen> {
    // A query of a session follows the current user. A query of a database follows its database.
    let notes = sessions.query(Note.containing()).property(initial: [])
    let draft = sessions.live(Draft.self, id: 1).property(initial: nil)
    let activity = history.query(Activity.newest).property(initial: [])
    // Any read can be observed: it runs again when the rows change that it has read.
    let counts = history.observe { transaction -> [String: Int] in
      let rows = try transaction.all(Activity.select { ($0.kind, $0.id.count()) })
      return rows.reduce(into: [:]) { counts, row in counts[row.0.rawValue] = row.1 }
    }.property(initial: [:])
    let flags = Property.derived(self.flags.$maximumLength, self.flags.$allowsPinning, self.flags.$banner) {
      Screen.Flags(maximumLength: $0, allowsPinning: $1, banner: $2)
    }

    return .derived(
      environments.active, environments.environments, sessions.status, settings.property, presence.property,
      notes, draft, flags, activity, counts
    ) { active, all, session, settings, processes, notes, draft, flags, activity, counts in
      Screen(
        environment: active.name, environments: all.map(\.name),
        user: session.user?.id, session: "\(session.authState)",
        notes: notes, draft: draft?.text ?? "", settings: settings, flags: flags,
        activity: activity, counts: counts,
        processes: processes.map { Screen.Process(role: $0.value, pid: $0.processIdentifier) })
    }
  }
}

extension Property<Screen> {
  /// Returns the values for one viewer: at most twenty a second, and the last one again every fifteen seconds.
  ///
  /// A burst of a thousand changes is a few frames, and the last of them has the last state. The repetition shows the
  /// viewer that the connection lives.
  ///
  /// - Parameter clock: The clock that measures the pauses.
  /// - Returns: A signal that begins with the current value.
  public func frames<C: Clock>(clock: C = ContinuousClock()) -> some Signal<Screen, Never>
  where C.Duration == Duration {
    let again = TimerSignal(every: .seconds(15), clock: clock).map { _ in self.value }
    return throttle(for: .milliseconds(50), latest: true, clock: clock).merge(with: again)
  }
}
