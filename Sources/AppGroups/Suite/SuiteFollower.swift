import FileSignals
import Foundation
import Signals

/// Derives the state of one typed key from the contents of a suite, and remembers the last good value.
///
/// It does not have the type of the value, so that the steps of a change are compiled once, and for these types.
final class SuiteFollower: Sendable {
  private let name: ExactString
  /// The default, in a ``SuiteEntry/Decoded``, as each value.
  private let defaultValue: any AnyObject & Sendable
  /// Decodes the value of an entry; `nil` if it is `null` and the type cannot represent that.
  private let decode: @Sendable (SuiteEntry, _ isSealed: Bool) throws(AppGroupsFileError) -> (any AnyObject & Sendable)?

  private struct Memory {
    /// The last state without a problem.
    var good: State
    var generation: UInt64 = 0
    var origin = 0
    var problemSince: ContinuousClock.Instant?
  }

  private let memory: Guarded<Memory>

  /// A value and the entry that it was decoded from; equal entries have equal values.
  ///
  /// Derived values copy it several times for each change, and so it is an object, like ``State``.
  final class LastGood: Sendable, Equatable {
    private let value: any AnyObject & Sendable
    let entry: SuiteEntry?

    fileprivate init(_ value: any AnyObject & Sendable, _ entry: SuiteEntry?) {
      (self.value, self.entry) = (value, entry)
    }

    static func == (first: LastGood, second: LastGood) -> Bool {
      first === second || first.entry == second.entry
    }

    /// Returns the value as the type of the follower's key.
    func item<Value: Sendable>(as type: Value.Type) -> Value {
      // Sound: the follower of the key has created it.
      unsafeDowncast(value, to: SuiteEntry.Decoded<Value>.self).item
    }
  }

  /// An entry that cannot be decoded as the key's type.
  struct Problem: Sendable, Equatable {
    let entry: SuiteEntry
    let error: AppGroupsFileError
    /// The time since when entries have been undecodable.
    let since: ContinuousClock.Instant
  }

  /// The state of the key in some contents.
  final class State: Sendable, Equatable {
    let lastGood: LastGood
    let isStored: Bool
    let problem: Problem?

    fileprivate init(_ lastGood: LastGood, isStored: Bool, problem: Problem? = nil) {
      (self.lastGood, self.isStored, self.problem) = (lastGood, isStored, problem)
    }

    var status: SharedValueStatus<AppGroupsFileError> {
      if let problem { return .stale(problem.error, since: problem.since) }
      return isStored ? .current : .missing
    }

    static func == (first: State, second: State) -> Bool {
      first === second
        || first.lastGood == second.lastGood && first.isStored == second.isStored && first.problem == second.problem
    }
  }

  init<Value>(_ key: SuiteKey<Value>, url: URL) {
    name = ExactString(key.name)
    defaultValue = SuiteEntry.Decoded(key.defaultValue)
    decode = { entry, isSealed throws(AppGroupsFileError) in
      try entry.decoded(as: Value.self, key: key.name, url: url, isSealed: isSealed)
    }
    memory = Guarded(Memory(good: State(LastGood(defaultValue, nil), isStored: false)))
  }

  func state(in contents: SuiteContents, defaults: [ExactString: SuiteEntry]) -> State {
    let stored = contents[name]
    guard let entry = stored ?? defaults[name] else {
      return keep(defaultValue, nil, isStored: false, contents)
    }
    if let known = known(entry, isStored: stored != nil, contents) { return known }
    do throws(AppGroupsFileError) {
      let value = try decode(entry, contents.isSealed)
      // A `null` that the type cannot represent counts as no value.
      return keep(
        value ?? defaultValue, value == nil ? nil : entry, isStored: stored != nil && value != nil, contents)
    } catch {
      let (good, since) = beginProblem(in: contents)
      return State(good, isStored: true, problem: Problem(entry: entry, error: error, since: since))
    }
  }

  /// Returns the last good value of the contents' file, and the time since when entries have been undecodable.
  ///
  /// The value of another file does not count. Contents that are older than the remembered ones change nothing.
  private func beginProblem(in contents: SuiteContents) -> (lastGood: LastGood, since: ContinuousClock.Instant) {
    var good = State(LastGood(defaultValue, nil), isStored: false)
    var since = ContinuousClock.now
    memory.replace { memory -> State? in
      since = memory.problemSince ?? since
      let isCurrent = contents.generation >= memory.generation
      if isCurrent { memory.problemSince = since }
      guard isCurrent, contents.origin != memory.origin else { return exchange(&good, with: memory.good) }
      (memory.generation, memory.origin) = (contents.generation, contents.origin)
      return exchange(&memory.good, with: good)
    }
    return (good.lastGood, since)
  }

  /// Returns the remembered state if it is of the same entry, as for each change of other keys.
  private func known(_ entry: SuiteEntry, isStored: Bool, _ contents: SuiteContents) -> State? {
    memory.withLock { memory in
      guard memory.good.lastGood.entry === entry, memory.good.isStored == isStored, memory.problemSince == nil,
        contents.origin == memory.origin, contents.generation >= memory.generation
      else { return nil }
      memory.generation = contents.generation
      return memory.good
    }
  }

  /// Remembers a good value, unless the remembered one comes from newer contents, because another thread was faster.
  private func keep(
    _ value: any AnyObject & Sendable, _ entry: SuiteEntry?, isStored: Bool, _ contents: SuiteContents
  ) -> State {
    let good = State(LastGood(value, entry), isStored: isStored)
    memory.replace { memory -> Memory? in
      guard contents.generation >= memory.generation else { return nil }
      return exchange(
        &memory, with: Memory(good: good, generation: contents.generation, origin: contents.origin))
    }
    return good
  }
}
