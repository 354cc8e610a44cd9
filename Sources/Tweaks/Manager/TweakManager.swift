import AppGroups
import Signals

/// Feature flags and settings from several providers, of which the first that has one decides.
///
/// ```swift
/// import Signals
/// import Tweaks
///
/// let overrides = EphemeralTweakProvider()
/// let defaults = EphemeralTweakProvider(["shop": ["limit": 10, "enabled": true]])
/// let manager = TweakManager(providers: [overrides, defaults])
///
/// let limit = TweakKey("shop", "limit", default: 5)
/// let subscription = manager.signal(for: limit).sink { print("limit", $0) }  // Prints "limit 10"
/// try manager.set(20, feature: "shop", variable: "limit")  // Prints "limit 20"
/// try manager.set(false, feature: "shop", variable: "enabled")
/// print(manager.isFeatureEnabled("shop"))  // Prints "false"
/// subscription.cancel()
/// ```
///
/// - **Priority.** The first provider of the array that *has* the tweak decides, also if what it has is `false` or
///   zero. What it does not say about it (title, description, group) is taken from those below.
/// - **Strict.** A value that is not of the type that is asked for is an error, which names the provider, or the
///   default together with one of ``failures``; never another value, and never a crash. ``TweakMismatch/fallThrough``
///   goes on to the next provider instead.
/// - **Fast.** What the providers say is kept where reading finds it in nanoseconds, without an allocation, and without
///   a lock unless it is a text: by ``subscript(_:)`` with a ``TweakKey``, by `value(feature:variable:)`, by the
///   property wrappers, which are the fastest. It is brought up to date when a provider tells of a change.
///   ``requiredTweak(feature:variable:)`` asks the providers each time unless ``usesCache`` is set.
/// - **Live.** Each tweak is a signal, see ``signal(for:)``; ``changes`` tells of all. Nobody is woken by a change of
///   another tweak.
/// - **Threads.** Everything may be called from any thread, also by providers, hooks, observers and the log while a
///   tweak is looked up. No lock is held while they run.
///
/// A manager is a provider itself, so managers nest.
public final class TweakManager: MutableTweakProvider {
  /// What the manager is called where it is a provider of another one.
  public let name: String

  /// What happens if a value is not of the type that is asked for.
  public let mismatch: TweakMismatch

  /// What is done about a tweak that no provider has.
  public let missing: TweakMissing

  struct State: Sendable {
    var providers = TweakProviders()
    var subscriptions: [SignalSubscription] = []
    /// The number of times that the providers have been replaced.
    var generation = 0
    var decryption: TweakDecryption?
    var encryption: TweakEncryption?
    var log: TweakLogClosure?
    var hooks: [TweakHook] = []
    var isCaching = false

    /// The resolutions, and the writes that are being made.
    var tweaks = TweakState()
    var properties: [TweakQuestion: MutableProperty<TweakResolution>] = [:]
    var calls = TweakCalls()
    /// The names that have been reported as missing.
    var reportedMissing: Set<TweakID> = []
    /// The errors that have been reported of features since the last change.
    var reportedFeatures: [String: TweakError] = [:]
    /// The observers of ``addObserver(_:on:closure:)``.
    var observers: [ObjectIdentifier: SignalSubscription] = [:]

    /// Lets errors of features be reported again, because tweaks may have changed.
    mutating func forgetReports(of update: TweakUpdate) {
      if reportedFeatures.isEmpty { return }
      switch update {
      case .everything: reportedFeatures = [:]
      case .tweaks(let ids): for id in ids { reportedFeatures[id.feature] = nil }
      }
    }
  }

  let state = Guarded(State())

  let tweakSlots = SlotTable()
  let changeEmitter = Emitter<TweakChange, Never>()
  let outbox = Outbox<TweakChange>()
  let updateEmitter = Emitter<TweakUpdate, Never>()
  let failureQueue = TweakFailureQueue()

  /// Makes a manager.
  ///
  /// - Parameters:
  ///   - providers: Where values come from, the most important first.
  ///   - mismatch: What happens if a value is not of the type that is asked for.
  ///   - missing: What is done about a tweak that no provider has.
  ///   - name: What the manager is called where it is a provider of another one.
  public init(
    providers: [any TweakProvider],
    mismatch: TweakMismatch = .strict,
    missing: TweakMissing = .ignored,
    name: String = "TweakManager"
  ) {
    self.name = name
    self.mismatch = mismatch
    self.missing = missing
    replaceProviders { all in
      all = providers
      return 0..<all.count
    }
  }

  // MARK: Closures

  /// Decrypts the values that are marked as encrypted and come from a provider that has no closure of its own.
  ///
  /// It is called when a value is looked up, not each time it is read.
  public var decryptionClosure: TweakDecryption? {
    get { state.withLock { $0.decryption } }
    set {
      state.replace { exchange(&$0.decryption, with: newValue) }
      providerUpdated(.everything)
    }
  }

  /// Encrypts the values that are set for tweaks which any provider below marks as encrypted or secret.
  ///
  /// Without it, such a value is not set in a provider that writes it down. Mark a secret in a provider that always has
  /// the tweak, such as a file: without the mark, nothing tells a stored value from an encrypted one.
  public var encryptionClosure: TweakEncryption? {
    get { state.withLock { $0.encryption } }
    set { state.replace { exchange(&$0.encryption, with: newValue) } }
  }

  /// Is told of each step of looking tweaks up, and of each failure.
  ///
  /// It is not called for ``trace(feature:variable:)``, nor for lookups that a hook or the log makes. Of a feature it is
  /// told the failure only.
  public var logClosure: TweakLogClosure? {
    get { state.withLock { $0.log } }
    set { state.replace { exchange(&$0.log, with: newValue) } }
  }

  /// Adds a hook, which is called each time a tweak is looked up, but not for features and traces.
  ///
  /// - Parameter hook: The hook.
  public func add(_ hook: TweakHook) {
    state.withLock { $0.hooks.append(hook) }
    providerUpdated(.everything)
  }

  // MARK: The cache

  /// Whether ``requiredTweak(feature:variable:)`` and ``isFeatureEnabled(_:)`` remember what they found; at first not.
  ///
  /// What is remembered follows what the providers tell. Set it unless there is a provider whose values change without
  /// a word. Changing it forgets.
  public var usesCache: Bool {
    get { state.withLock { $0.isCaching } }
    set {
      let isChange = state.withLock { state in
        defer { state.isCaching = newValue }
        return state.isCaching != newValue
      }
      if isChange { resetCache() }
    }
  }

  /// Forgets all that is remembered, and asks the providers again for what is observed or has been read before.
  ///
  /// To be called when a provider has changed that does not tell of it.
  public func resetCache() {
    providerUpdated(.everything)
  }
}

/// What happens if a value is not of the type that is asked for.
public enum TweakMismatch: Sendable, Hashable {
  /// The first provider that has the tweak decides: it is an error.
  case strict

  /// The next provider that has the tweak is asked, also if a provider fails; without one, the first error stands.
  case fallThrough
}

/// What is done about a tweak or a feature that no provider has, and that is read all the same.
public enum TweakMissing: Sendable, Hashable {
  /// Nothing: it has its default.
  case ignored

  /// It is told once by ``TweakManager/failures`` and the log, because a name may be misspelt.
  case reported
}

extension TweakManager: CustomReflectable {
  /// What `dump` shows: the names of the manager and its providers, and no value, because some may be secret.
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name, "providers": providers.map(\.name)], displayStyle: .class)
  }
}

/// The providers of a manager, the most important first.
struct TweakProviders: Sendable {
  var all: [any TweakProvider] = [] {
    didSet { mutable = all.map { $0 as? any MutableTweakProvider } }
  }

  /// Those that can be written to, at the same places.
  private(set) var mutable: [(any MutableTweakProvider)?] = []
}
