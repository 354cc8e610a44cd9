public import AppGroups
public import FileSignals
public import Foundation
public import Signals
import StrictJSON

/// Tweaks in a JSON file, of JustTweak's format, which is followed while it changes.
///
/// ```json
/// {
///   "shop": {
///     "limit": {
///       "Title": "Limit", "Description": "How many may be bought", "Group": "Shop", "Value": 10
///     }
///   }
/// }
/// ```
///
/// - **Strict.** A file that is not of the format is an error with its line and column, both when it is opened and
///   while it is followed; then the last good tweaks stand, ``failures`` tells, and the next good content is taken.
///   What the file cannot say is `null`, an array or an object as a value, a name twice, and a number that no `Int` or
///   `Double` can hold. Unknown properties are tolerated.
/// - **Types** are what is written: `1` is an Int, `1.0` a Double, `true` a Bool. `"PreserveFloat": true` makes a
///   Double of `1`.
/// - **Encrypted.** With `"Encrypted": true` the value is decrypted when it is looked up, by ``decryptionClosure`` or
///   the manager's.
/// - **Features.** A feature that the file names is enabled, unless it has a Bool ``Tweak/enabledVariable`` that says
///   no.
///
/// Files that nobody changes, such as those in an app's bundle, are best opened with `isLive: false`.
public final class FileTweakProvider: TweakProvider {
  /// What the provider is called: the type, and the name of the file.
  public let name: String

  /// The file.
  public let url: URL

  /// How the tweaks relate to the file; if the file is not followed, how they did when it was opened.
  public let status: Property<SharedValueStatus<AppGroupsFileError>>

  private struct State {
    var contents: TweakFile
    var decryption: TweakDecryption?
    var subscriptions: [SignalSubscription] = []
  }

  private let state: Guarded<State>
  private let emitter = Emitter<TweakUpdate, Never>()
  private let failureEmitter = Emitter<TweakError, Never>()

  /// The file as it is followed.
  private let file: AppGroupsFile<TweakFile>?
  private let isOptional: Bool

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - isLive: Whether to follow the file.
  ///   - isOptional: Whether there need be no file. Then it has no tweaks while there is none; otherwise the last ones
  ///     stand if it is removed.
  ///   - polling: Whether to look from time to time where the system does not tell of changes.
  /// - Throws: ``TweakError/invalidFile(_:line:column:reason:)`` or ``TweakError/unusableFile(_:)``.
  public convenience init(
    url: URL, isLive: Bool = true, isOptional: Bool = false, polling: WatchPolling = .automatic
  ) throws(TweakError) {
    try self.init(url: url, isLive: isLive, isOptional: isOptional) { format throws(AppGroupsFileError) in
      try AppGroupsFile(url: url, initialValue: TweakFile(), format: format, polling: polling)
    }
  }

  /// Opens a file in the folder `Files` of a root whose contents may be switched, such as that of an `AppContainer`.
  ///
  /// After a switch, the tweaks are those of the new environment, as a part of the same change. While an environment has
  /// no such file, there are no tweaks.
  ///
  /// - Parameters:
  ///   - name: The name of the file.
  ///   - scope: The scope of the root.
  ///   - polling: When to poll the file.
  /// - Throws: ``TweakError/invalidFile(_:line:column:reason:)`` or ``TweakError/unusableFile(_:)``.
  public convenience init(
    name: String, scope: Scope, polling: WatchPolling = .automatic
  ) throws(TweakError) {
    let url = scope.root.appending(path: "Files/\(name)", directoryHint: .notDirectory)
    try self.init(url: url, isLive: true, isOptional: true) { format throws(AppGroupsFileError) in
      try AppGroupsFile(
        observing: name, initialValue: TweakFile(), scope: scope, format: format, polling: polling)
    }
    let membership = scope.enrol(self)
    state.withLock { $0.subscriptions.append(membership) }
  }

  /// Opens a file with a closure, which is given its format.
  init(
    url: URL, isLive: Bool, isOptional: Bool,
    open: (FileFormat<TweakFile>) throws(AppGroupsFileError) -> AppGroupsFile<TweakFile>
  ) throws(TweakError) {
    let name = "FileTweakProvider(\(url.lastPathComponent))"
    self.name = name
    self.url = url
    self.isOptional = isOptional
    do throws(AppGroupsFileError) {
      let reader = TweakFileReader(source: name)
      let format = FileFormat<TweakFile>(
        encode: { _ in Data() },
        decode: { try reader.read($0) }
      )
      let file = try open(format)
      let contents: TweakFile
      switch file.status.value {
      case .current: contents = file.value
      case .missing where isOptional: contents = TweakFile()
      case .missing, .connecting: throw .missing(url)
      case .stale(let error, _): throw error
      }
      state = Guarded(State(contents: contents))
      self.file = isLive ? file : nil
      status = isLive ? file.status : .constant(file.status.value)
    } catch {
      throw Self.error(error, url)
    }
    if let file { follow(file) }
  }

  private func follow(_ file: AppGroupsFile<TweakFile>) {
    // Not only the value: a file that is gone has its last one.
    let contents = file.property.combineLatest(file.status).map { [isOptional] value, status in
      isOptional && status == .missing ? TweakFile() : value
    }
    let subscriptions = [
      contents.sink { [weak self] in self?.take($0) },
      file.failures.sink { [weak self, url, isOptional] (error: AppGroupsFileError) in
        if isOptional, case .missing = error { return }
        self?.failureEmitter.send(Self.error(error, url))
      },
    ]
    state.withLock { $0.subscriptions = subscriptions }
  }

  private func take(_ new: TweakFile) {
    send(replace(by: new))
  }

  /// - Returns: The names of the tweaks that changed.
  private func replace(by new: TweakFile) -> Set<TweakID> {
    let old = state.withLock { state in
      defer { state.contents = new }
      return state.contents
    }
    return new.difference(from: old)
  }

  private func send(_ changed: Set<TweakID>) {
    if !changed.isEmpty { emitter.send(.tweaks(changed)) }
  }

  /// The error with the place in the file, if that is what is wrong.
  private static func error(_ error: AppGroupsFileError, _ url: URL) -> TweakError {
    guard case .undecodable = error else { return .unusableFile(error) }
    do {
      _ = try TweakFileReader(source: "").read(DurableFile.read(url))
    } catch let problem as TextProblem {
      return .invalidFile(
        url, line: problem.position.line, column: problem.position.column, reason: problem.reason
      )
    } catch {
      return .unusableFile((error as? DurableFileError).map { .inaccessible($0) } ?? .missing(url))
    }
    return .unusableFile(error)
  }

  /// Returns a tweak by name.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  /// - Returns: The tweak as the file has it, that is, possibly encrypted, or `nil` if the file has none.
  public func tweak(feature: String, variable: String) -> Tweak? {
    state.withLock { $0.contents.tweaks[feature, variable] }
  }

  /// Returns whether a feature is enabled: it is if the file names it, unless the file says otherwise.
  ///
  /// - Parameter feature: The feature.
  /// - Returns: The answer, or `nil` if the file does not name it.
  /// - Throws: ``TweakError`` if the variable ``Tweak/enabledVariable`` has no Bool, or an encrypted one.
  public func featureState(_ feature: String) throws(TweakError) -> Bool? {
    if let tweak = tweak(feature: feature, variable: Tweak.enabledVariable) { return try tweak.clearBool() }
    return state.withLock { $0.contents.features.contains(feature) } ? true : nil
  }

  /// The variables by feature, in order.
  public var features: [String: [String]] {
    let contents = state.withLock { $0.contents }
    var features = Dictionary(uniqueKeysWithValues: contents.features.map { ($0, [String]()) })
    for id in contents.tweaks.ids.sorted() { features[id.feature, default: []].append(id.variable) }
    return features
  }

  /// All tweaks of the file, in the order of their names.
  public var tweaks: [Tweak] { state.withLock { $0.contents.tweaks.tweaks }.sorted { $0.id < $1.id } }

  /// The names of the tweaks that the file has.
  public var tweakIDs: Set<TweakID> { state.withLock { $0.contents.tweaks }.ids }

  /// Decrypts this file's values; it comes before the manager's.
  public var decryptionClosure: TweakDecryption? {
    get { state.withLock { $0.decryption } }
    set {
      state.replace { exchange(&$0.decryption, with: newValue) }
      emitter.send(.everything)
    }
  }

  /// The changed tweaks, sent after each change.
  public var updates: AnySignal<TweakUpdate, Never> { emitter.eraseToAnySignal() }

  /// The errors that keep the tweaks from following the file.
  ///
  /// A new subscriber first receives the current errors.
  public var failures: AnySignal<TweakError, Never> {
    failureEmitter.beginning { [weak self] in self?.presentFailure.map { [$0] } ?? [] }
  }

  private var presentFailure: TweakError? {
    guard let file else { return nil }
    return switch file.status.value {
    case .current, .connecting: nil
    case .missing: isOptional ? nil : .unusableFile(.missing(url))
    case .stale(let error, _): Self.error(error, url)
    }
  }
}

extension FileTweakProvider: ScopeMember {
  /// The scope of the file, if it was opened in one.
  public var scopes: [Scope] { [file?.scope].compactMap { $0 } }

  package var swapStage: ScopeStage { .dependents }

  package func publishSwap(_ outcome: ScopeOutcome, into changes: ScopeChanges) {
    guard outcome == .swapped, let file else { return }
    let changed = replace(by: file.status.value == .missing ? TweakFile() : file.value)
    changes.afterwards { self.send(changed) }
  }
}
