import Signals

/// The engines of this process: one for each root, for as long as it is in use.
final class ContainerEngines: Sendable {
  static let shared = ContainerEngines()

  private struct Entry {
    weak var engine: ContainerEngine?
  }

  private let entries = Guarded<[ContainerLayout: Entry]>([:])

  /// Returns the engine of a root, and creates it if it is missing.
  func engine(
    for layout: ContainerLayout, defaultName: String, settings: [any EnvironmentSettings],
    onStep: @escaping @Sendable (SwitchStep) -> Void
  ) throws(AppContainerError) -> ContainerEngine {
    if let engine = entries.withLock({ $0[layout]?.engine }) {
      for one in settings { engine.participants.add(one) }
      try engine.catchUp()
      return engine
    }
    // Opening may wait for another process, so it is done without the lock. If two threads open a root, one engine is
    // used.
    let made = try ContainerEngine(layout, defaultName: defaultName, settings: settings, onStep: onStep)
    return entries.withLock { entries in
      entries = entries.filter { $0.value.engine != nil }
      if let engine = entries[layout]?.engine { return engine }
      entries[layout] = Entry(engine: made)
      return made
    }
  }
}
