import AppGroups
import Signals
import Synchronization

/// A manager of feature flags and settings from several providers.
///
/// The first provider that has a tweak decides.
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
/// - **Priority.** The first provider in the array that *has* the tweak decides, even if its value is `false` or zero.
///   A title, description or group that it does not give is taken from the providers below.
/// - **Strict types.** If a value is not of the requested type, a throwing read throws an error that names the
///   provider. Other reads return the default, and ``failures`` reports the error. A mismatch never results in another
///   value or a crash. A manager that was created with `fallsThrough` asks the next provider instead.
/// - **Performance.** Values are stored where a read finds them in nanoseconds, without an allocation, and without a
///   lock unless the value is a string. Such reads are ``subscript(_:)`` with a ``TweakKey``,
///   `value(feature:variable:)` and the property wrappers, which are the fastest. Stored values are updated when a
///   provider reports a change. ``requiredTweak(feature:variable:)`` asks the providers each time unless ``usesCache``
///   is set, and so does every read that depends on a provider that cannot announce its changes.
/// - **Observation.** Each tweak is a signal, see ``signal(for:)``; ``changes`` sends the changes of all tweaks. A
///   change of one tweak does not wake the subscribers of another.
/// - **Threads.** All methods may be called from any thread, also by providers, hooks, observers and the log during a
///   lookup. No lock is held while they run.
///
/// A manager is itself a provider, so managers can be nested.
public final class TweakManager: MutableTweakProvider {
  /// The name of the manager when it is a provider of another one.
  public let name: String

  /// A Boolean value that indicates whether the first provider that has a tweak decides even if its value is unusable.
  let isStrict: Bool

  /// A Boolean value that indicates whether reads of tweaks and features that no provider has are reported.
  let reportsMissing: Bool

  /// The name and the tweaks of the provider that declares all tweaks; `nil` in a release build.
  let declarations: (name: String, table: Property<TweakTable>)?

  struct State: Sendable {
    var sources = TweakSources()
    var decryption: TweakCipher?
    var encryption: TweakCipher?
    var log: TweakLogClosure?
    var hooks: [TweakHook] = []
    var isCaching = false

    /// The resolutions, and the writes in progress.
    var index = TweakIndex()
    var properties: [TweakQuestion: MutableProperty<TweakResolution>] = [:]
    var calls = TweakCalls()
    /// The names that have been reported as missing.
    var reportedMissing: Set<TweakID> = []
    /// The errors of features that have been reported since the last change.
    var reportedFeatures: [String: TweakError] = [:]
    /// The recorder of exposures, if they are switched on, and the subscription to its subject.
    var recorder: ExposureRecorder?
    var recording: SignalSubscription?
    /// The observers of ``addObserver(_:on:closure:)``.
    var observers: [ObjectIdentifier: SignalSubscription] = [:]

    /// Allows errors of features to be reported again, because tweaks may have changed.
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
  let failureQueue: TweakFailureQueue
  let exposureEmitter = Emitter<TweakExposure, Never>()

  /// A Boolean value that indicates whether the first read of a value is noticed.
  let exposesReads = Atomic(false)

  /// Creates a manager.
  ///
  /// - Parameters:
  ///   - providers: The providers, the most important first.
  ///   - fallsThrough: A Boolean value that indicates whether the next provider is asked after a mismatch or an error. If
  ///     no provider has a usable value, the first error counts. By default, the first provider that has the tweak
  ///     decides, and a mismatch is an error.
  ///   - reportsMissing: A Boolean value that indicates whether ``failures`` and the log report once each tweak or
  ///     feature that is read and that no provider has, because its name may be misspelled.
  ///   - declarations: The provider that declares every tweak of the app, such as its file. In a debug build, a read of
  ///     a tweak or a feature that it lacks stops the program, even if another provider has it. In a release build, the
  ///     parameter has no effect.
  ///   - name: The name of the manager when it is a provider of another one.
  public init(
    providers: [any TweakProvider],
    fallsThrough: Bool = false,
    reportsMissing: Bool = false,
    declarations: (any TweakProvider)? = nil,
    name: String = "TweakManager"
  ) {
    self.name = name
    failureQueue = TweakFailureQueue(manager: name)
    isStrict = !fallsThrough
    self.reportsMissing = reportsMissing
    #if DEBUG
      self.declarations = declarations.map { ($0.name, $0.table) }
    #else
      self.declarations = nil
    #endif
    exposesReads.store(self.declarations != nil, ordering: .relaxed)
    insert(providers, at: 0)
  }

  // MARK: Closures

  /// Adds a hook.
  ///
  /// It is called each time a tweak is looked up, but not for features and traces.
  ///
  /// - Parameter hook: The hook.
  public func add(_ hook: TweakHook) {
    state.withLock { $0.hooks.append(hook) }
    follow(.everything)
  }
}

extension TweakManager: CustomReflectable {
  /// The children that `dump` shows: the names of the manager and its providers.
  ///
  /// Values may be secret and are omitted.
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name, "providers": providers.map(\.name)], displayStyle: .class)
  }
}

/// Code that runs when a tweak is looked up: once after each change, not at each read.
///
/// - **Order.** `before` closures are called in the order in which hooks were added, the others in reverse order.
/// - **Errors.** If a `before` closure throws, no provider is asked and the tweak has its default. `error` and
///   `finally` are still called.
/// - **Reentrancy.** A hook may use the manager. These calls do not invoke hooks.
/// - **Features.** Hooks are not called for features, such as by ``TweakManager/isFeatureEnabled(_:)``, nor for
///   ``TweakManager/trace(feature:variable:as:)``. Do not use `before` to guard them.
public struct TweakHook: Sendable {
  let before: (@Sendable (TweakID) throws -> Void)?
  let after: (@Sendable (Tweak) -> Void)?
  let error: (@Sendable (TweakID, TweakError) -> Void)?
  let finally: (@Sendable (TweakID) -> Void)?

  /// Creates a hook.
  ///
  /// - Parameters:
  ///   - before: A closure that is called before providers are asked.
  ///   - after: A closure that is called with the tweak that was found.
  ///   - error: A closure that is called if no usable tweak was found.
  ///   - finally: A closure that is called exactly once, at the end.
  public init(
    before: (@Sendable (TweakID) throws -> Void)? = nil,
    after: (@Sendable (Tweak) -> Void)? = nil,
    error: (@Sendable (TweakID, TweakError) -> Void)? = nil,
    finally: (@Sendable (TweakID) -> Void)? = nil
  ) {
    self.before = before
    self.after = after
    self.error = error
    self.finally = finally
  }
}

/// A closure that receives the log messages of a manager.
typealias TweakLogClosure = @Sendable (String, TweakLogLevel) -> Void

/// The importance of a log message; the most important one is the least.
@nonexhaustive
public enum TweakLogLevel: Sendable, Hashable, Comparable {
  /// An error.
  case error

  /// The result of a lookup.
  case debug

  /// The answer of each provider.
  case verbose
}

/// The questions and callbacks in progress on all threads.
///
/// A provider, a hook or the log may use the manager. The manager uses these entries to recognize reentrant calls.
struct TweakCalls {
  private var questions: [(thread: ThreadIdentity, question: TweakQuestion)] = []
  private var callbacks: [ThreadIdentity] = []

  /// A Boolean value that indicates whether the calling thread runs a hook or the log.
  var isCalledBack: Bool { !callbacks.isEmpty && callbacks.contains(.current) }

  /// Begins a question on the calling thread, unless the thread is already asking the same.
  mutating func begin(_ question: TweakQuestion) -> Bool {
    let thread = ThreadIdentity.current
    if questions.contains(where: { $0.thread == thread && $0.question == question }) { return false }
    questions.append((thread, question))
    return true
  }

  /// Ends a question on the calling thread.
  mutating func end(_ question: TweakQuestion) {
    let thread = ThreadIdentity.current
    if let index = questions.lastIndex(where: { $0.thread == thread && $0.question == question }) {
      questions.remove(at: index)
    }
  }

  /// Marks that the calling thread runs a hook or the log.
  mutating func beginCallback() { callbacks.append(.current) }

  /// Marks that the hook or the log has returned.
  mutating func endCallback() {
    if let index = callbacks.lastIndex(of: .current) { callbacks.remove(at: index) }
  }
}
