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
  let url: URL

  /// The relation of the tweaks to the file.
  ///
  /// If the file is not followed, it is the state when the file was opened.
  public let status: Property<SharedValueStatus<AppGroupsFileError>>

  /// The tweaks of the file.
  public let table: Property<TweakTable>

  private struct Decryption: Sendable {
    var closure: TweakCipher?

    /// The number of times that the closure was set.
    var count = 0
  }

  private let decryption = MutableProperty(Decryption())

  /// It keeps the derived table.
  private let following: SignalSubscription

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
      try AppGroupsFile(
        observing: .anywhere(url), initialValue: TweakFile(), format: format, polling: polling,
        owner: "FileTweakProvider", isOptional: isOptional, announces: isOptional && isLive)
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
        observing: .scope(scope, name: name), initialValue: TweakFile(), format: format, polling: polling,
        owner: "FileTweakProvider", isOptional: true, announces: true)
    }
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
      self.file = isLive ? file : nil
      status = isLive ? file.status : .constant(file.status.value)
      let last = Guarded((table: TweakTable(contents), count: 0))
      let now = isLive ? file.property : .constant(contents)
      table = .derived(now, status, decryption) { value, status, decryption in
        let contents = isOptional && status == .missing ? TweakFile() : value
        return last.withLock { last in
          last.table.replace(with: contents)
          if last.count != decryption.count { last.table.touch(.everything) }
          last.count = decryption.count
          return last.table
        }
      }
      following = table.sink { _ in }
    } catch {
      throw Self.error(error, url)
    }
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

  /// All tweaks of the file, in the order of their names.
  package var tweaks: [Tweak] { table.value.file?.tweaks.tweaks.sorted { $0.id < $1.id } ?? [] }

  /// A closure that decrypts this file's values.
  ///
  /// It takes precedence over the manager's.
  public var decryptionClosure: TweakCipher? {
    get { decryption.value.closure }
    set { decryption.modify { $0 = Decryption(closure: newValue, count: $0.count + 1) } }
  }

  /// The scope of the file, if it was opened in one.
  public var scopes: [Scope] { [file?.scope].compactMap { $0 } }

  /// The errors that keep the tweaks from following the file.
  ///
  /// A new subscriber first receives the current errors.
  public var failures: AnySignal<TweakError, Never> {
    let later = file?.failures.compactMap { [isOptional, url] (error: AppGroupsFileError) -> TweakError? in
      if isOptional, case .missing = error { nil } else { Self.error(error, url) }
    }
    return (later?.eraseToAnySignal() ?? .never()).beginning { [self] in presentFailure.map { [$0] } ?? [] }
  }

  private var presentFailure: TweakError? {
    switch status.value {
    case .current, .connecting: nil
    case .missing: isOptional ? nil : .unusableFile(.missing(url))
    case .stale(let error, _): Self.error(error, url)
    }
  }
}
