public import AppGroups
import FileSignals
public import Foundation
public import Signals

/// A provider of tweaks in `UserDefaults`, each stored under its feature *and* its variable: `tweaks.feature/variable`.
///
/// Values keep their kind: a Bool stays a Bool, and `1.0` a Double. A change is written before the call returns, on
/// Linux too, where `UserDefaults` writes only when asked.
///
/// A provider is notified only of its own changes. Share one provider within a process. Call ``refresh()`` after
/// another process, another provider, or code that uses `UserDefaults` directly has set a value. For tweaks that
/// processes share, use ``SuiteTweakProvider``.
public final class UserDefaultsTweakProvider: MutableTweakProvider, @unchecked Sendable {
  // Sound: defaults may be used from any thread, as they document.

  /// The prefix that JustTweak puts before the variable's name.
  ///
  /// JustTweak stores a tweak by this name alone.
  package static let legacyPrefix = "lib.fragments.userDefaultsKey."

  private static let prefix = "tweaks."

  /// The name of the provider.
  public let name: String

  /// The scope that the initializer received.
  public let scopes: [Scope]

  private let userDefaults: UserDefaults
  private let emitter = Emitter<TweakUpdate, Never>()

  /// Creates a provider.
  ///
  /// - Parameters:
  ///   - userDefaults: The defaults that store the values.
  ///   - migrating: The tweaks whose values are migrated once from JustTweak's storage. JustTweak does not distinguish
  ///     features, so variables of the same name get the same value.
  ///   - name: The name of the provider.
  ///   - scope: The scope of the `AppContainer` that switches the values, if one does; see
  ///     ``/Containers/AppContainer/switchDefaults(_:)``.
  public init(
    userDefaults: UserDefaults, migrating: some Sequence<TweakID> = [], name: String = "UserDefaultsTweakProvider",
    scope: Scope? = nil
  ) {
    self.userDefaults = userDefaults
    scopes = [scope].compactMap { $0 }
    self.name = name
    var legacy: Set<String> = []
    for id in migrating {
      let key = Self.legacyPrefix + id.variable
      guard let value = Self.value(of: userDefaults.object(forKey: key)) else { continue }
      legacy.insert(key)
      if userDefaults.object(forKey: Self.key(of: id)) == nil { store(value, id) }
    }
    if legacy.isEmpty { return }
    // The migration has two steps, so that a process that dies in between leaves the old values or both.
    guard userDefaults.synchronize() else { return }
    for key in legacy { userDefaults.removeObject(forKey: key) }
    userDefaults.synchronize()
  }

  private static func key(of id: TweakID) -> String { prefix + TweakName.text(of: id) }

  /// Returns the value of a stored object by its stored type, without conversions.
  private static func value(of object: Any?) -> TweakValue? {
    if let text = object as? NSString { return .string(text as String) }
    if let text = object as? String { return .string(text) }
    guard let number = object.flatMap({ $0 as? NSNumber }) else { return nil }
    return switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "c"), UInt8(ascii: "B"): .bool(number.boolValue)
    case UInt8(ascii: "d"), UInt8(ascii: "f"): .double(number.doubleValue)
    case UInt8(ascii: "Q") where number.uint64Value > UInt64(Int.max): nil
    default: .int(number.intValue)
    }
  }

  private func store(_ value: TweakValue, _ id: TweakID) {
    let key = Self.key(of: id)
    switch value {
    case .bool(let value): userDefaults.set(value, forKey: key)
    case .int(let value): userDefaults.set(value, forKey: key)
    case .double(let value): userDefaults.set(value, forKey: key)
    case .string(let value): userDefaults.set(value, forKey: key)
    }
  }

  /// The stored tweaks, each read when it is asked for.
  public var table: Property<TweakTable> {
    .asking(TweakTable.Answers(tweak: tweak, ids: { self.ids }), following: emitter)
  }

  private func tweak(feature: String, variable: String) throws(TweakError) -> Tweak? {
    let id = TweakID(feature: feature, variable: variable)
    guard let object = userDefaults.object(forKey: Self.key(of: id)) else { return nil }
    guard let value = Self.value(of: object) else {
      throw .notSupported(id, provider: name, reason: "the stored object is not a Bool, a number or a String")
    }
    return Tweak(feature: feature, variable: variable, value: value, source: name)
  }

  private var ids: Set<TweakID> {
    Set(
      userDefaults.dictionaryRepresentation().keys.compactMap { key in
        key.without(beginning: Self.prefix).flatMap { TweakName.id(of: $0) }
      }
    )
  }

  /// Rereads values that other processes have written, where the system does not do so itself.
  public func refresh() {
    userDefaults.synchronize()
    emitter.send(.everything)
  }

  /// Makes changes.
  ///
  /// - Parameter edits: The changes, in order.
  /// - Returns: The tweaks that changed.
  /// - Throws: ``TweakError/notSupported(_:provider:reason:)``, or ``TweakError/unavailable(_:provider:reason:)`` if
  ///   the change could not be written; then nothing has changed.
  @discardableResult
  public func apply(_ edits: [TweakEdit]) throws(TweakError) -> TweakUpdate {
    for edit in edits {
      if edit.expiration != nil {
        throw .notSupported(edit.id, provider: name, reason: "user defaults cannot hold the end of an override")
      }
      if case .double(let number) = edit.value, !number.isFinite {
        throw .notSupported(edit.id, provider: name, reason: "\(number) cannot be stored")
      }
    }
    var replaced: [(id: TweakID, old: Any?)] = []
    for edit in edits {
      let old = userDefaults.object(forKey: Self.key(of: edit.id))
      // An object that is not a tweak has no value, but is an object to delete.
      if Self.value(of: old) == edit.value, edit.value != nil || old == nil { continue }
      replaced.append((edit.id, old))
      if let value = edit.value {
        store(value, edit.id)
      } else {
        userDefaults.removeObject(forKey: Self.key(of: edit.id))
      }
    }
    guard let first = replaced.first else { return .nothing }
    let update = TweakUpdate.tweaks(Set(replaced.map(\.id)))
    guard userDefaults.synchronize() else {
      for (id, old) in replaced.reversed() { userDefaults.set(old, forKey: Self.key(of: id)) }
      // A reader may have asked for the new values in between.
      emitter.send(update)
      throw .unavailable(first.id, provider: name, reason: "it could not be written to the user's configuration")
    }
    emitter.send(update)
    return update
  }
}
