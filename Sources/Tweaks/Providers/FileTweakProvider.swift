public import AppGroups
public import FileSignals
public import Foundation
public import Signals
import StrictJSON

/// A provider of tweaks from a JSON file in JustTweak's format.
///
/// It follows changes of the file.
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
/// - **Strict format.** A malformed file is an error with a line and column. When it is opened, the error is thrown, or
///   there are no tweaks if the file is optional. While it is followed, the last good tweaks stay. In both of these
///   cases ``failures`` sends the error, and the next good content is used. Errors are `null` as a value, a duplicate
///   name, and a number that neither `Int` nor `Double` can hold. Unknown properties are allowed.
/// - **Types** follow the notation: `1` is an Int, `1.0` a Double, `true` a Bool. With `"PreserveFloat": true`, `1` is
///   a Double. An object or a list is a ``TweakStructure``.
/// - **Encryption.** With `"Encrypted": true`, the value is decrypted when it is looked up, by ``decryptionClosure`` or
///   the manager's.
/// - **Features.** A feature in the file is enabled, unless its Bool ``Tweak/enabledVariable`` is `false`.
///
/// Open files that never change, such as those in an app's bundle, with `isLive: false`.
public final class FileTweakProvider: TweakProvider {
  /// The name of the provider: the type, and the name of the file.
  public let name: String

  /// The file.
  public let url: URL

  /// The relation of the tweaks to the file.
  ///
  /// If the file is not followed, it is the state when the file was opened.
  public let status: Property<SharedValueStatus<AppGroupsFileError>>

  private struct State {
    var contents: TweakFile
    var decryption: TweakDecryption?
    var subscriptions: [SignalSubscription] = []
  }

  private let state: Guarded<State>
  private let emitter = Emitter<TweakUpdate, Never>()
  private let failureEmitter = Emitter<TweakError, Never>()

  /// The file, if it is followed.
  private let file: AppGroupsFile<TweakFile>?
  private let isOptional: Bool

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - isLive: A Boolean value that indicates whether to follow the file.
  ///   - isOptional: A Boolean value that indicates whether the file may be missing or unusable when it is opened. If
  ///     `true`, there are no tweaks while it is missing, and until it is usable. Otherwise the last tweaks stay if it is
  ///     removed.
  ///   - polling: The polling of the file where the system does not report changes.
  /// - Throws: ``TweakError/invalidFile(_:line:column:reason:)`` or ``TweakError/unusableFile(_:)``. If the file is
  ///   optional, ``failures`` sends these errors instead, unless it is not a regular file or cannot be followed.
  public convenience init(
    url: URL, isLive: Bool = true, isOptional: Bool = false, polling: WatchPolling = .automatic
  ) throws(TweakError) {
    try self.init(url: url, isLive: isLive, isOptional: isOptional) { format throws(AppGroupsFileError) in
      try AppGroupsFile(url: url, initialValue: TweakFile(), format: format, options: .init(polling: polling))
    }
  }

  /// Opens a file in the folder `Files` of a root whose contents may be switched, such as an `AppContainer`'s.
  ///
  /// After a switch, the tweaks of the new environment are shown as part of the same change. While an environment has
  /// no usable file, there are no tweaks.
  ///
  /// - Parameters:
  ///   - name: The name of the file.
  ///   - scope: The scope of the root.
  ///   - polling: The polling of the file where the system does not report changes.
  /// - Throws: ``TweakError/unusableFile(_:)`` if the name is not valid, or the place cannot be followed.
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

  /// Opens a file with a closure that receives its format.
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
      case .missing where isOptional, .stale where isOptional: contents = TweakFile()
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
    // The status is needed too, because the property of a missing file keeps its last value.
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

  /// Replaces the contents, and returns the names of the tweaks that changed.
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

  /// Returns the error for a file, with the line and column if its content is malformed.
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
  /// - Returns: The tweak as in the file, possibly encrypted, or `nil` if the file does not contain it.
  public func tweak(feature: String, variable: String) -> Tweak? {
    state.withLock { $0.contents.tweaks[feature, variable] }
  }

  /// Returns whether a feature is enabled.
  ///
  /// A feature in the file is enabled unless the file says otherwise.
  ///
  /// - Parameter feature: The feature.
  /// - Returns: The answer, or `nil` if the file does not contain the feature.
  /// - Throws: ``TweakError`` if the variable ``Tweak/enabledVariable`` is not a Bool, or is encrypted.
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

  /// The names of the tweaks in the file.
  public var tweakIDs: Set<TweakID> { state.withLock { $0.contents.tweaks }.ids }

  /// A closure that decrypts this file's values.
  ///
  /// It takes precedence over the manager's.
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
    switch status.value {
    case .current, .connecting: nil
    case .missing: isOptional ? nil : .unusableFile(.missing(url))
    case .stale(let error, _): Self.error(error, url)
    }
  }
}

extension FileTweakProvider: ScopeMember {
  /// The scope of the file, if it was opened in one.
  public var scopes: [Scope] { [file?.scope].compactMap { $0 } }

  package var switchStage: ScopeStage { .dependents }

  package func prepareSwitch(_ outcome: ScopeOutcome) -> PreparedSwitch {
    PreparedSwitch { [self] changes in
      guard outcome == .switched, let file else { return }
      let changed = replace(by: file.status.value == .missing ? TweakFile() : file.value)
      changes.afterwards { self.send(changed) }
    }
  }
}
