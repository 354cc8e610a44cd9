public import AppGroups
import Foundation
public import Signals

/// A provider of tweaks in a suite that several processes share.
///
/// A tweak that one process sets is effective in all of them.
///
/// Each tweak is a separate value of the suite, `"feature/variable" : { "int" : 42 }`, so that concurrent changes by
/// several processes are all kept. A slash or a percent sign inside a name is escaped. Other values of the suite are
/// left alone.
///
/// An override with an end falls back in every process when the end comes, also after sleep. If the clock is set back,
/// an override that has ended stays ended, because the suite keeps the latest time in the value `tweaks-clock`.
public final class SuiteTweakProvider: MutableTweakProvider {
  /// The name of the provider.
  public let name: String

  /// The suite.
  public let suite: AppGroupsSuite

  /// The scope of the suite, if it has one.
  public var scopes: [Scope] { [suite.scope].compactMap { $0 } }

  private let emitter = Emitter<TweakUpdate, Never>()
  private let expiry: OverrideExpiry
  private let subscription = Guarded<SignalSubscription?>(nil)

  /// The latest time that any process has seen.
  static let clockKey = "tweaks-clock"

  /// The age at which the stored time is renewed.
  private static let clockAge: TimeInterval = 3_600

  /// Creates a provider for a suite.
  ///
  /// Overrides that ended while no process ran are removed from the suite before the initializer returns, so that they do
  /// not come back if the clock is set back.
  ///
  /// - Parameters:
  ///   - suite: The suite.
  ///   - name: The name of the provider.
  ///   - time: The clocks by which overrides end.
  public init(suite: AppGroupsSuite, name: String = "SuiteTweakProvider", time: TweakTime = .system) {
    self.suite = suite
    self.name = name
    expiry = OverrideExpiry(time: time)
    expiry.start { [weak self] in self?.ring() }
    removeEndedAtStart()
    let start = suite.value
    follow(start)
    let subscription = suite.property
      .scan((start, start)) { contents, new in (contents.1, new) }
      .sink { [weak self] old, new in self?.take(new, after: old) }
    self.subscription.withLock { $0 = subscription }
  }

  private func take(_ new: SuiteContents, after old: SuiteContents) {
    follow(new)
    let changed = Self.difference(of: new, from: old)
    if !changed.isEmpty { emitter.send(.tweaks(changed)) }
  }

  private static func difference(of new: SuiteContents, from old: SuiteContents) -> Set<TweakID> {
    var changed: Set<TweakID> = []
    for key in Set(new.keys).union(old.keys) {
      guard let id = TweakName.id(of: key), value(key, in: new) != value(key, in: old) else { continue }
      changed.insert(id)
    }
    return changed
  }

  private enum Stored: Equatable {
    case none
    case value(StoredOverride)
    case failure(AppGroupsFileError)

    /// The end of the override, if it has one.
    var end: Date? { if case .value(let stored) = self { stored.end } else { nil } }
  }

  private static func value(_ key: String, in contents: SuiteContents) -> Stored {
    do throws(AppGroupsFileError) {
      return try contents.value(forKey: key, as: StoredOverride.self).map(Stored.value) ?? .none
    } catch {
      return .failure(error)
    }
  }

  /// Returns a tweak by name.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  /// - Returns: The tweak, or `nil` if none is set, or if its end has come.
  /// - Throws: ``TweakError/unusableStore(provider:_:)`` if the stored value is not a tweak.
  public func tweak(feature: String, variable: String) throws(TweakError) -> Tweak? {
    switch Self.value(TweakName.text(of: TweakID(feature: feature, variable: variable)), in: suite.value) {
    case .none: return nil
    case .value(let stored) where expiry.hasPassed(stored.end): return nil
    case .value(let stored):
      var tweak = Tweak(feature: feature, variable: variable, value: stored.value, source: name)
      if let end = stored.end { tweak.expiration = end }
      return tweak
    case .failure(let error): throw .unusableStore(provider: name, TweakStoreError(error))
    }
  }

  /// The names of the tweaks that are set.
  public var tweakIDs: Set<TweakID> {
    let contents = suite.value
    return Set(
      contents.keys.compactMap { key in
        TweakName.id(of: key).flatMap { expiry.hasPassed(Self.value(key, in: contents).end) ? nil : $0 }
      })
  }

  /// The changed tweaks, sent after each change by any process.
  public var updates: AnySignal<TweakUpdate, Never> { emitter.eraseToAnySignal() }

  /// The errors that keep the tweaks from following the file.
  ///
  /// A new subscriber first receives the current errors.
  public var failures: AnySignal<TweakError, Never> {
    suite.failures.map { [name] in TweakError.unusableStore(provider: name, TweakStoreError($0)) }
      .beginning { [name, status = suite.status] in
        status.value.failure.map { [TweakError.unusableStore(provider: name, TweakStoreError($0))] } ?? []
      }
  }

  // MARK: Changes

  /// `true`.
  public var supportsExpiration: Bool { true }

  /// Makes changes, all at once.
  ///
  /// - Parameter edits: The changes, in order.
  /// - Returns: The tweaks that changed.
  /// - Throws: ``TweakError``; then nothing has changed.
  @discardableResult
  public func apply(_ edits: [TweakEdit]) throws(TweakError) -> TweakUpdate {
    guard let first = edits.first else { return .nothing }
    let now = expiry.now
    for edit in edits { try edit.checkEnd(after: now, provider: name) }
    do {
      return try suite.update { contents in
        var changed: Set<TweakID> = []
        for edit in edits {
          let key = TweakName.text(of: edit.id)
          let new = edit.value.map { StoredOverride(value: $0, end: edit.expiration) }
          if Self.value(key, in: contents) != new.map(Stored.value) ?? .none { changed.insert(edit.id) }
          if let new {
            if case .double(let number) = new.value, !number.isFinite {
              throw TweakError.notSupported(edit.id, provider: name, reason: "\(number) cannot be stored")
            }
            try contents.set(new, forKey: key)
            if new.end != nil { try Self.raiseClock(in: &contents, to: now) }
          } else {
            contents.removeValue(forKey: key)
          }
        }
        return .tweaks(changed)
      }
    } catch let error as TweakError {
      throw error
    } catch let error as AppGroupsFileError {
      throw .unusableStore(provider: name, TweakStoreError(error))
    } catch {
      throw .unavailable(first.id, provider: name, reason: "\(error)")
    }
  }
}

// MARK: Expiry

extension SuiteTweakProvider {
  private static func clock(in contents: SuiteContents) -> Date? {
    do throws(AppGroupsFileError) {
      return try contents.value(forKey: clockKey, as: Double.self).map { Date(timeIntervalSinceReferenceDate: $0) }
    } catch {
      // A value of another type is replaced by the next mark.
      return nil
    }
  }

  private static func raiseClock(in contents: inout SuiteContents, to now: Date) throws(AppGroupsFileError) {
    if let old = clock(in: contents), old >= now { return }
    try contents.set(now.timeIntervalSinceReferenceDate, forKey: clockKey)
  }

  /// Returns the ends of all overrides that have one.
  private static func ends(in contents: SuiteContents) -> [(key: String, id: TweakID, end: Date)] {
    contents.keys.compactMap { key in
      guard let id = TweakName.id(of: key), let end = value(key, in: contents).end else { return nil }
      return (key, id, end)
    }
  }

  private func follow(_ contents: SuiteContents) {
    if let mark = Self.clock(in: contents) { expiry.raise(to: mark) }
    expiry.follow(Self.ends(in: contents).map(\.end))
  }

  /// Removes the overrides that have ended from a suite, which then keeps the time.
  private static func removeEnded(in contents: inout SuiteContents, at now: Date) throws(AppGroupsFileError) {
    for old in ends(in: contents) where old.end <= now { contents.removeValue(forKey: old.key) }
    try raiseClock(in: &contents, to: now)
  }

  private func removeEndedAtStart() {
    let contents = suite.value
    if let mark = Self.clock(in: contents) { expiry.raise(to: mark) }
    let now = expiry.now
    guard Self.ends(in: contents).contains(where: { $0.end <= now }) else { return }
    do {
      try suite.update { try Self.removeEnded(in: &$0, at: now) }
    } catch {
      // The alarm rings at once, and again every minute.
    }
  }

  /// Notifies observers of overrides that have ended, and removes these from the suite.
  private func ring() {
    let now = expiry.ring()
    let contents = suite.value
    let ended = Self.ends(in: contents).filter { $0.end <= now }
    let isOld = Self.clock(in: contents).map { now.timeIntervalSince($0) >= Self.clockAge } ?? true
    expiry.follow(Self.ends(in: contents).map(\.end))
    if !ended.isEmpty { emitter.send(.tweaks(Set(ended.map(\.id)))) }
    guard isOld || !ended.isEmpty else { return }
    Task { [suite] in
      do {
        try await suite.update { try Self.removeEnded(in: &$0, at: now) }
      } catch {
        // The alarm rings again in a minute. Until then, the overrides stay in the file, and have no effect.
      }
    }
  }
}
