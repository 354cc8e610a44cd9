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
  let suite: AppGroupsSuite

  /// The scope of the suite, if it has one.
  public var scopes: [Scope] { [suite.scope].compactMap { $0 } }

  /// The tweaks that any process has set.
  public let table: Property<TweakTable>

  private let expiry: OverrideExpiry

  /// The number of times that the alarm for the ends of overrides has rung.
  private let rings = MutableProperty(0)
  private let subscriptions: [SignalSubscription]

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
    let expiry = OverrideExpiry(time: time)
    self.expiry = expiry
    let last = Guarded(TweakTable([TweakID: TweakTable.Entry](), check: expiry.check))
    let clock = Self.clock(in: suite.value)
    if let clock { expiry.raise(to: clock) }
    Self.removeEndedAtStart(from: suite, at: expiry.now)
    table = .derived(suite.property, rings) { contents, _ in
      let entries = Self.entries(of: contents, name).filter { !expiry.hasPassed($0.value.end) }
      return last.withLock { last in
        last.replace(with: entries)
        return last
      }
    }
    // The second one keeps the derived table.
    subscriptions = [suite.property.sink { Self.follow($0, expiry) }, table.sink { _ in }]
    expiry.start { [weak self] in self?.ring() }
    Self.follow(suite.value, expiry)
  }

  private static func entries(of contents: SuiteContents, _ name: String) -> [TweakID: TweakTable.Entry] {
    var entries: [TweakID: TweakTable.Entry] = [:]
    for key in contents.keys {
      guard let id = TweakName.id(of: key) else { continue }
      do throws(AppGroupsFileError) {
        guard let stored = try contents.value(forKey: key, as: StoredOverride.self) else { continue }
        entries[id] = .success(Tweak(TweakEdit(id, stored.value, until: stored.end), value: stored.value, source: name))
      } catch {
        entries[id] = .failure(.unusableStore(provider: name, reason: "\(error)"))
      }
    }
    return entries
  }

  /// The errors that keep the tweaks from following the file.
  ///
  /// A new subscriber first receives the current errors.
  public var failures: AnySignal<TweakError, Never> { suite.failures(of: name) }

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
          if Self.override(key, in: contents) != new { changed.insert(edit.id) }
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
      throw .unusableStore(provider: name, reason: "\(error)")
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

  /// Returns an override, or `nil` if there is none or another value.
  private static func override(_ key: String, in contents: SuiteContents) -> StoredOverride? {
    do throws(AppGroupsFileError) { return try contents.value(forKey: key, as: StoredOverride.self) } catch {
      return nil
    }
  }

  /// Returns the ends of all overrides that have one.
  private static func ends(in contents: SuiteContents) -> [(key: String, end: Date)] {
    contents.keys.compactMap { key in
      guard TweakName.id(of: key) != nil, let end = override(key, in: contents)?.end else { return nil }
      return (key, end)
    }
  }

  private static func follow(_ contents: SuiteContents, _ expiry: OverrideExpiry) {
    if let mark = clock(in: contents) { expiry.raise(to: mark) }
    expiry.follow(ends(in: contents).map(\.end))
  }

  /// Removes the overrides that have ended from a suite, which then keeps the time.
  private static func removeEnded(in contents: inout SuiteContents, at now: Date) throws(AppGroupsFileError) {
    for old in ends(in: contents) where old.end <= now { contents.removeValue(forKey: old.key) }
    try raiseClock(in: &contents, to: now)
  }

  private static func removeEndedAtStart(from suite: AppGroupsSuite, at now: Date) {
    guard ends(in: suite.value).contains(where: { $0.end <= now }) else { return }
    do {
      try suite.update { try removeEnded(in: &$0, at: now) }
    } catch {
      // The alarm rings at once, and again every minute.
    }
  }

  /// Shows that overrides have ended, and removes these from the suite.
  private func ring() {
    let now = expiry.ring()
    let contents = suite.value
    let ends = Self.ends(in: contents).map(\.end)
    let hasEnded = ends.contains { $0 <= now }
    let isOld = Self.clock(in: contents).map { now.timeIntervalSince($0) >= Self.clockAge } ?? true
    expiry.follow(ends)
    if hasEnded { rings.modify { $0 += 1 } }
    guard isOld || hasEnded else { return }
    Task { [suite] in
      do {
        try await suite.update { try Self.removeEnded(in: &$0, at: now) }
      } catch {
        // The alarm rings again in a minute. Until then, the overrides stay in the file, and have no effect.
      }
    }
  }
}

/// An override in a suite: its value, and perhaps its end.
///
/// It is stored as `{ "int": 42, "until": 800000000 }`, in seconds since 2001.
struct StoredOverride: Sendable, Equatable, Codable {
  var value: TweakValue
  var end: Date?

  private enum CodingKeys: String, CodingKey {
    case until
  }

  /// The name of the member with the end.
  static var endKey: String { CodingKeys.until.rawValue }

  init(value: TweakValue, end: Date? = nil) {
    self.value = value
    self.end = end
  }

  init(from decoder: any Decoder) throws {
    value = try TweakValue(from: decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    end = try container.decodeIfPresent(Double.self, forKey: .until).map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  func encode(to encoder: any Encoder) throws {
    try value.encode(to: encoder)
    guard let end else { return }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(end.timeIntervalSinceReferenceDate, forKey: .until)
  }
}
