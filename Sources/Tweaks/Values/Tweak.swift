/// A tweak as it was found: its name, its value, what is said about it, and who said so.
///
/// Printing one that is secret shows ``Tweak/redacted`` instead of the value.
public struct Tweak: Sendable, Hashable {
  /// Copies are made of tweaks all the time, and changes hardly ever: so a copy is one reference.
  private var contents: TweakContents

  /// The feature it belongs to.
  public var feature: String { contents.parts.feature }

  /// Its name in the feature.
  public var variable: String { contents.parts.variable }

  /// The value.
  public var value: TweakValue {
    get { contents.parts.value }
    set { modify { $0.value = newValue } }
  }

  /// What people call it.
  public var title: String? {
    get { contents.parts.title }
    set { modify { $0.title = newValue } }
  }

  /// What it does.
  public var details: String? {
    get { contents.parts.details }
    set { modify { $0.details = newValue } }
  }

  /// The group it is shown in.
  public var group: String? {
    get { contents.parts.group }
    set { modify { $0.group = newValue } }
  }

  /// The name of the provider whose value it is.
  public var source: String? {
    get { contents.parts.source }
    set { modify { $0.source = newValue } }
  }

  /// The rule of the provider by which the value was chosen.
  public var rule: String? {
    get { contents.parts.rule }
    set { modify { $0.rule = newValue } }
  }

  /// Whether the value is still encrypted; those that a ``TweakManager`` gives are not.
  public var isEncrypted: Bool {
    get { contents.parts.isEncrypted }
    set { modify { $0.isEncrypted = newValue } }
  }

  /// A Boolean value that indicates whether the value must not be shown.
  ///
  /// A ``TweakManager`` sets it for an override of a tweak that any provider below marks as secret or encrypted.
  public var isSecret: Bool {
    get { contents.parts.isSecret }
    set { modify { $0.isSecret = newValue } }
  }

  /// Whether the value is a text that stands for one of the type that is asked for, as in the environment.
  public var isUntyped: Bool {
    get { contents.parts.isUntyped }
    set { modify { $0.isUntyped = newValue } }
  }

  /// What is shown instead of a secret.
  public static let redacted = "<redacted>"

  /// The variable that says of a feature, by a Bool, whether it is enabled.
  public static let enabledVariable = "enabled"

  /// Makes a tweak.
  ///
  /// - Parameters:
  ///   - feature: The feature it belongs to.
  ///   - variable: Its name in the feature.
  ///   - value: The value.
  ///   - title: What people call it.
  ///   - details: What it does.
  ///   - group: The group it is shown in.
  ///   - source: The name of the provider; the manager fills it in.
  public init(
    feature: String, variable: String, value: TweakValue, title: String? = nil, details: String? = nil,
    group: String? = nil, source: String? = nil
  ) {
    var parts = TweakParts(feature: feature, variable: variable, value: value)
    parts.title = title
    parts.details = details
    parts.group = group
    parts.source = source
    self.init(parts)
  }

  /// Makes a tweak of its parts.
  init(_ parts: TweakParts) {
    contents = TweakContents(parts)
  }

  /// Replaces several parts at once, which takes no longer than one.
  mutating func modify(_ change: (inout TweakParts) -> Void) {
    var parts = contents.parts
    change(&parts)
    contents = TweakContents(parts)
  }

  /// Compares all that there is.
  ///
  /// - Parameters:
  ///   - first: A tweak.
  ///   - second: Another one.
  /// - Returns: Whether they are the same in everything.
  public static func == (first: Tweak, second: Tweak) -> Bool {
    first.contents === second.contents || first.contents.parts == second.contents.parts
  }

  /// Hashes the name and the value.
  ///
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(feature)
    hasher.combine(variable)
    hasher.combine(value)
  }

  /// The name.
  public var id: TweakID { TweakID(feature: feature, variable: variable) }

  /// The title, or the names if there is none.
  public var displayTitle: String { title ?? "\(feature):\(variable)" }

  /// The value, if it is yes or no.
  public var boolValue: Bool? { converted(to: Bool.self) }

  /// The value, if it is a whole number.
  public var intValue: Int? { converted(to: Int.self) }

  /// The value, if it is a number that a `Double` can hold exactly.
  public var doubleValue: Double? { converted(to: Double.self) }

  /// The value, if it is a number that a `Float` can hold.
  public var floatValue: Float? { converted(to: Float.self) }

  /// The value, if it is a text.
  public var stringValue: String? { converted(to: String.self) }

  /// The value as a type.
  ///
  /// - Parameter type: The type of the value.
  /// - Returns: The value.
  /// - Throws: ``TweakError/typeMismatch(_:expected:found:provider:)`` if it is none of the type.
  public func value<Value: TweakValueConvertible>(as type: Value.Type = Value.self) throws(TweakError) -> Value {
    if let value = converted(to: type) { return value }
    throw .typeMismatch(id, expected: "\(type)", found: found, provider: source ?? "unknown")
  }

  /// The Bool of a tweak that a provider has; only a manager decrypts one.
  func clearBool() throws(TweakError) -> Bool {
    if isEncrypted { throw .decryptionClosureNotProvided(id, provider: source ?? "unknown") }
    return try value(as: Bool.self)
  }

  func converted<Value: TweakValueConvertible>(to type: Value.Type) -> Value? {
    guard isUntyped, case .string(let text) = value else { return Value(tweakValue: value) }
    return Value.tweakValue(parsing: text).flatMap { Value(tweakValue: $0) }
  }

  /// The value as a type of its own, to be shown and compared.
  var shownValue: String { isSecret || isEncrypted ? Self.redacted : value.description }

  private var found: String {
    isSecret || isEncrypted ? "a \(value.kind)" : "the \(value.kind) \(value.description.debugDescription)"
  }
}

extension Tweak: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The name, the value and the provider.
  public var description: String { "\(id) = \(shownValue)" + (source.map { " (\($0))" } ?? "") }

  /// The name, the value and the provider.
  public var debugDescription: String { description }

  /// What `dump` shows.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "feature": feature, "variable": variable, "value": shownValue, "title": title as Any, "details": details as Any,
        "group": group as Any, "source": source as Any, "rule": rule as Any,
      ],
      displayStyle: .struct
    )
  }
}
