public import Foundation

/// A tweak with its name, its value, its title and description, and its provider.
///
/// If the tweak is secret, the printed form shows ``Tweak/redacted`` instead of the value.
public struct Tweak: Sendable, Hashable {
  /// The contents, shared by copies.
  ///
  /// Tweaks are copied often and changed rarely, so that a copy is one reference.
  private(set) var contents: TweakContents

  /// The feature of the tweak.
  public var feature: String { contents.feature }

  /// The name of the tweak in its feature.
  public var variable: String { contents.variable }

  /// The value.
  public var value: TweakValue {
    get { contents.value }
    set { modify { $0.value = newValue } }
  }

  /// The title.
  public var title: String? {
    get { contents.title }
    set { modify { $0.title = newValue } }
  }

  /// The description of the tweak's effect.
  public var details: String? {
    get { contents.details }
    set { modify { $0.details = newValue } }
  }

  /// The group in which the tweak is shown.
  public var group: String? {
    get { contents.group }
    set { modify { $0.group = newValue } }
  }

  /// The name of the provider of the value.
  public var source: String? {
    get { contents.source }
    set { modify { $0.source = newValue } }
  }

  /// The rule of the provider that determined the value.
  public var rule: String? {
    get { contents.origin.rule }
    set { modify { $0.origin.rule = newValue } }
  }

  /// The name of the value among the variants of an experiment.
  public var variant: String? {
    get { contents.origin.variant }
    set { modify { $0.origin.variant = newValue } }
  }

  /// The reason why the provider gives the value; `nil` if it does not say.
  ///
  /// With ``TweakReason/disabled``, a ``RemoteTweakProvider`` gives no value, and reads return their default.
  public var reason: TweakReason? {
    get { contents.origin.reason }
    set { modify { $0.origin.reason = newValue } }
  }

  /// Other facts about the value, for ``TweakDetails``.
  public var metadata: [String: TweakValue] {
    get { contents.origin.metadata }
    set { modify { $0.origin.metadata = newValue } }
  }

  /// The end of an override, after which the next provider decides; `nil` if there is none.
  public var expiration: Date? {
    get { contents.origin.expiration }
    set { modify { $0.origin.expiration = newValue } }
  }

  /// A Boolean value that indicates whether the value is still encrypted.
  ///
  /// The tweaks that a ``TweakManager`` returns are decrypted.
  public var isEncrypted: Bool {
    get { contents.isEncrypted }
    set { modify { $0.isEncrypted = newValue } }
  }

  /// A Boolean value that indicates whether the value must not be shown.
  ///
  /// A ``TweakManager`` sets it for an override of a tweak that any provider below marks as secret or encrypted.
  public var isSecret: Bool {
    get { contents.isSecret }
    set { modify { $0.isSecret = newValue } }
  }

  /// A Boolean value that indicates whether the value is a string to be parsed as the requested type, as in the
  /// environment.
  public var isUntyped: Bool {
    get { contents.isUntyped }
    set { modify { $0.isUntyped = newValue } }
  }

  /// A Boolean value that indicates whether the value is an object or a list, as a string of JSON.
  ///
  /// Such a tweak can be read as a ``TweakStructure``, but not as a `String`.
  public var isStructured: Bool {
    get { contents.isStructured }
    set { modify { $0.isStructured = newValue } }
  }

  /// The text that replaces a secret.
  public static let redacted = "<redacted>"

  /// The variable whose Bool determines whether a feature is enabled.
  public static let enabledVariable = "enabled"

  /// Creates a tweak.
  ///
  /// - Parameters:
  ///   - feature: The feature of the tweak.
  ///   - variable: The name of the tweak in its feature.
  ///   - value: The value.
  ///   - title: The title.
  ///   - details: The description of the tweak's effect.
  ///   - group: The group in which the tweak is shown.
  ///   - source: The name of the provider. The manager sets it if it is missing.
  public init(
    feature: String, variable: String, value: TweakValue, title: String? = nil, details: String? = nil,
    group: String? = nil, source: String? = nil
  ) {
    contents = TweakContents(
      feature: feature, variable: variable, value: value, title: title, details: details, group: group, source: source)
  }

  /// Creates a tweak from its contents.
  init(_ contents: TweakContents) {
    self.contents = contents
  }

  /// Creates a tweak from its parts.
  init(_ parts: TweakParts) {
    contents = TweakContents(parts)
  }

  /// Changes several parts at once, at the cost of one change.
  mutating func modify(_ change: (inout TweakParts) -> Void) {
    var parts = contents.parts
    change(&parts)
    contents = TweakContents(parts)
  }

  /// The name.
  public var id: TweakID { TweakID(feature: feature, variable: variable) }

  /// The title, or the names if there is none.
  public var displayTitle: String { title ?? "\(feature):\(variable)" }

  /// The value if it is a Bool.
  public var boolValue: Bool? { converted(to: Bool.self) }

  /// The value if it is an integer.
  public var intValue: Int? { converted(to: Int.self) }

  /// The value if it is a number that a `Double` can hold exactly.
  public var doubleValue: Double? { converted(to: Double.self) }

  /// The value if it is a number that a `Float` can hold.
  public var floatValue: Float? { converted(to: Float.self) }

  /// The value if it is a string.
  public var stringValue: String? { converted(to: String.self) }

  /// Returns the value as a type.
  ///
  /// - Parameter type: The type of the value.
  /// - Returns: The value.
  /// - Throws: ``TweakError/typeMismatch(_:expected:found:provider:)`` if the value is not of the type.
  public func value<Value: TweakValueConvertible>(as type: Value.Type = Value.self) throws(TweakError) -> Value {
    if let value = converted(to: type) { return value }
    var found = found
    if !isSecret, !isEncrypted, let decodable = type as? any Decodable.Type {
      found = contents.origin.structure?.problem(decoding: decodable) ?? found
    }
    throw .typeMismatch(id, expected: "\(type)", found: found, provider: source ?? "unknown")
  }

  /// Returns the Bool of a provider's tweak, which must not be encrypted, because only a manager decrypts.
  func clearBool() throws(TweakError) -> Bool {
    if isEncrypted { throw .decryptionClosureNotProvided(id, provider: source ?? "unknown") }
    return try value(as: Bool.self)
  }

  func converted<Value: TweakValueConvertible>(to type: Value.Type) -> Value? {
    if isStructured, !Value.isTweakStructure, Value.self != TweakValue.self { return nil }
    guard isUntyped, case .string(let text) = value else { return Value(tweakValue: value) }
    return Value(untyped: text)
  }

  /// The text that is shown for the value.
  var shownValue: String { isSecret || isEncrypted ? Self.redacted : value.description }

  private var found: String {
    isSecret || isEncrypted ? "a \(value.kind)" : "the \(value.kind) \(value.description.debugDescription)"
  }
}

extension Tweak: CustomStringConvertible, CustomReflectable {
  /// The name, the value and the provider.
  public var description: String { "\(id) = \(shownValue)" + (source.map { " (\($0))" } ?? "") }

  /// The children that `dump` shows.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "feature": feature, "variable": variable, "value": shownValue, "title": title as Any, "details": details as Any,
        "group": group as Any, "source": source as Any, "rule": rule as Any, "expiration": expiration as Any,
        "variant": variant as Any, "reason": reason as Any,
      ],
      displayStyle: .struct
    )
  }
}
