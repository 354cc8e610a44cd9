public import Foundation

/// A tweak with its name, its value, its title and description, and its provider.
///
/// If the tweak is secret, the printed form shows `<redacted>` instead of the value.
public struct Tweak: Sendable, Hashable {
  /// The contents, shared by copies.
  ///
  /// Tweaks are copied often and changed rarely, so that a copy is one reference.
  private(set) var contents: TweakContents

  /// The contents for changes, which no other tweak has.
  private var own: TweakContents {
    mutating get {
      if !isKnownUniquelyReferenced(&contents) { contents = TweakContents(copying: contents) }
      return contents
    }
  }

  /// The feature of the tweak.
  public var feature: String { contents.feature }

  /// The name of the tweak in its feature.
  public var variable: String { contents.variable }

  /// The value.
  public var value: TweakValue {
    get { contents.value }
    set { own.value = newValue }
  }

  /// The title.
  public var title: String? {
    get { contents.title }
    set { own.title = newValue }
  }

  /// The description of the tweak's effect.
  public var details: String? {
    get { contents.details }
    set { own.details = newValue }
  }

  /// The group in which the tweak is shown.
  public var group: String? {
    get { contents.group }
    set { own.group = newValue }
  }

  /// The name of the provider of the value.
  public var source: String? {
    get { contents.source }
    set { own.source = newValue }
  }

  /// The rule of the provider that determined the value.
  public var rule: String? {
    get { contents.origin.rule }
    set { own.origin.rule = newValue }
  }

  /// The name of the value among the variants of an experiment.
  public var variant: String? {
    get { contents.origin.variant }
    set { own.origin.variant = newValue }
  }

  /// The reason why the provider gives the value; `nil` if it does not say.
  ///
  /// With ``TweakReason/disabled``, a ``RemoteTweakProvider`` gives no value, and reads return their default.
  public var reason: TweakReason? {
    get { contents.origin.reason }
    set { own.origin.reason = newValue }
  }

  /// Other facts about the value.
  public var metadata: [String: TweakValue] {
    get { contents.origin.metadata }
    set { own.origin.metadata = newValue }
  }

  /// The end of an override, after which the next provider decides; `nil` if there is none.
  public var expiration: Date? {
    get { contents.origin.expiration }
    set { own.origin.expiration = newValue }
  }

  /// A Boolean value that indicates whether the value is still encrypted.
  ///
  /// The tweaks that a ``TweakManager`` returns are decrypted.
  public var isEncrypted: Bool {
    get { contents.isEncrypted }
    set { own.isEncrypted = newValue }
  }

  /// A Boolean value that indicates whether the value must not be shown.
  ///
  /// A ``TweakManager`` sets it for an override of a tweak that any provider below marks as secret or encrypted.
  public var isSecret: Bool {
    get { contents.isSecret }
    set { own.isSecret = newValue }
  }

  /// A Boolean value that indicates whether the value is a string to be parsed as the requested type, as in the
  /// environment.
  package var isUntyped: Bool {
    get { contents.isUntyped }
    set { own.isUntyped = newValue }
  }

  /// A Boolean value that indicates whether the value is an object or a list, as a string of JSON.
  ///
  /// Such a tweak can be read as a ``TweakStructure``, but not as a `String`.
  public var isStructured: Bool {
    get { contents.isStructured }
    set { own.isStructured = newValue }
  }

  /// The text that replaces a secret.
  package static let redacted = "<redacted>"

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

  /// The name.
  public var id: TweakID { TweakID(feature: feature, variable: variable) }

  /// The title, or the names if there is none.
  package var displayTitle: String { title ?? "\(feature):\(variable)" }

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
    isSecret || isEncrypted
      ? "a \(value.kind.rawValue)" : "the \(value.kind.rawValue) \(value.description.debugDescription)"
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
