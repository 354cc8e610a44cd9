public import AppGroups
public import Signals

/// A provider of tweaks in a suite that several processes share.
///
/// A tweak that one process sets is effective in all of them.
///
/// Each tweak is a separate value of the suite, `"feature/variable" : { "int" : 42 }`, so that concurrent changes by
/// several processes are all kept. A slash or a percent sign inside a name is escaped. Other values of the suite are
/// left alone.
public final class SuiteTweakProvider: MutableTweakProvider {
  /// The name of the provider.
  public let name: String

  /// The suite.
  public let suite: AppGroupsSuite

  /// The scope of the suite, if it has one.
  public var scopes: [Scope] { [suite.scope].compactMap { $0 } }

  private let emitter = Emitter<TweakUpdate, Never>()
  private let subscription: SignalSubscription

  /// Creates a provider for a suite.
  ///
  /// - Parameters:
  ///   - suite: The suite.
  ///   - name: The name of the provider.
  public init(suite: AppGroupsSuite, name: String = "SuiteTweakProvider") {
    self.suite = suite
    self.name = name
    let start = suite.value
    subscription = suite.property
      .scan((start, start)) { contents, new in (contents.1, new) }
      .sink { [emitter] old, new in
        let changed = Self.difference(of: new, from: old)
        if !changed.isEmpty { emitter.send(.tweaks(changed)) }
      }
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
    case value(TweakValue)
    case failure(AppGroupsFileError)
  }

  private static func value(_ key: String, in contents: SuiteContents) -> Stored {
    do throws(AppGroupsFileError) {
      return try contents.value(forKey: key, as: TweakValue.self).map(Stored.value) ?? .none
    } catch {
      return .failure(error)
    }
  }

  /// Returns a tweak by name.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  /// - Returns: The tweak, or `nil` if none is set.
  /// - Throws: ``TweakError/unusableStore(provider:_:)`` if the stored value is not a tweak.
  public func tweak(feature: String, variable: String) throws(TweakError) -> Tweak? {
    switch Self.value(TweakName.text(of: TweakID(feature: feature, variable: variable)), in: suite.value) {
    case .none: return nil
    case .value(let value): return Tweak(feature: feature, variable: variable, value: value, source: name)
    case .failure(let error): throw .unusableStore(provider: name, TweakStoreError(error))
    }
  }

  /// The names of the tweaks that are set.
  public var tweakIDs: Set<TweakID> { Set(suite.keys.compactMap { TweakName.id(of: $0) }) }

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

  /// Makes changes, all at once.
  ///
  /// - Parameter edits: The changes, in order.
  /// - Returns: The tweaks that changed.
  /// - Throws: ``TweakError``; then nothing has changed.
  @discardableResult
  public func apply(_ edits: [TweakEdit]) throws(TweakError) -> TweakUpdate {
    guard let first = edits.first else { return .nothing }
    do {
      return try suite.update { contents in
        var changed: Set<TweakID> = []
        for edit in edits {
          let key = TweakName.text(of: edit.id)
          if Self.value(key, in: contents) != edit.value.map(Stored.value) ?? .none { changed.insert(edit.id) }
          if let value = edit.value {
            if case .double(let number) = value, !number.isFinite {
              throw TweakError.notSupported(edit.id, provider: name, reason: "\(number) cannot be stored")
            }
            try contents.set(value, forKey: key)
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
