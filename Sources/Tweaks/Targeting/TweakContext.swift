/// What is known about the user, the device or the situation, by which values are chosen.
public struct TweakContext: Sendable, Hashable, Codable {
  /// The identity of the user, such as an installation's number, which stays the same.
  ///
  /// It decides which share of the users this one is in. An empty text counts as none.
  public var targetingKey: String?

  /// Anything else, by name.
  public var attributes: [String: TweakValue]

  /// Makes a context.
  ///
  /// - Parameters:
  ///   - targetingKey: What stays the same for a user.
  ///   - attributes: Anything else, by name.
  public init(targetingKey: String? = nil, attributes: [String: TweakValue] = [:]) {
    self.targetingKey = targetingKey
    self.attributes = attributes
  }
}

/// A condition on an attribute of the context.
///
/// A condition does not hold, negated or not, if:
/// - the attribute is missing,
/// - this version does not know the operator, or
/// - the comparison makes no sense: there are no values, or the kinds differ, as of the text `"18"` and the number 18.
///
/// The provider's ``TargetingTweakProvider/failures`` report the last two.
public struct TweakCondition: Sendable, Hashable, Codable {
  /// How an attribute is compared.
  public struct Operator: RawRepresentable, Sendable, Hashable, Codable {
    /// The name of the operator.
    public let rawValue: String

    /// Names an operator, known or not.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The attribute is one of the values.
    public static let isOneOf = Operator(rawValue: "isOneOf")

    /// The attribute is a text that begins with one of the values.
    public static let startsWith = Operator(rawValue: "startsWith")

    /// The attribute is a text that ends with one of the values.
    public static let endsWith = Operator(rawValue: "endsWith")

    /// The attribute is a text that contains one of the values.
    public static let contains = Operator(rawValue: "contains")

    /// The attribute is a number that is less than one of the values.
    public static let isLess = Operator(rawValue: "isLess")

    /// The attribute is a number that is greater than one of the values.
    public static let isGreater = Operator(rawValue: "isGreater")

    /// The attribute is a version, and one of the values is not a later one.
    ///
    /// A version is a text of numbers with dots in between, such as `2.10.1`. Neither `v3.0` nor `2.10.1-beta` is one.
    public static let isVersionFrom = Operator(rawValue: "isVersionFrom")
  }

  /// The attribute.
  public var attribute: String

  /// How it is compared.
  public var comparison: Operator

  /// What it is compared with.
  public var values: [TweakValue]

  /// Whether the condition holds if the comparison does not.
  public var isNegated: Bool

  /// Makes a condition.
  ///
  /// - Parameters:
  ///   - attribute: The attribute.
  ///   - comparison: How it is compared.
  ///   - values: What it is compared with.
  ///   - isNegated: Whether the condition holds if the comparison does not.
  public init(_ attribute: String, _ comparison: Operator, _ values: TweakValue..., isNegated: Bool = false) {
    self.attribute = attribute
    self.comparison = comparison
    self.values = values
    self.isNegated = isNegated
  }
}

/// Gives a tweak a value under conditions, or for a share of all users.
public struct TweakRule: Sendable, Hashable, Codable {
  /// The feature.
  public var feature: String

  /// The variable of the feature.
  public var variable: String

  /// The value that the rule gives.
  public var value: TweakValue

  /// What must all hold.
  public var conditions: [TweakCondition]

  /// The share of the users that get the value, in hundredths of a percent: 10,000 is everyone.
  ///
  /// A share below 0 counts as nobody, and one above 10,000 as everyone.
  public var basisPoints: Int

  /// Makes a rule.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  ///   - value: The value that the rule gives.
  ///   - conditions: What must all hold.
  ///   - basisPoints: The share of the users that get the value, in hundredths of a percent.
  public init(
    _ feature: String, _ variable: String, value: TweakValue, if conditions: [TweakCondition] = [],
    basisPoints: Int = 10_000
  ) {
    self.feature = feature
    self.variable = variable
    self.value = value
    self.conditions = conditions
    self.basisPoints = basisPoints
  }

  /// The conditions and the share in parentheses; nothing if the rule always applies.
  var reasons: String {
    var parts = conditions.map { condition in
      let values = condition.values.map(\.description).joined(separator: ", ")
      return "\(condition.attribute) \(condition.isNegated ? "not " : "")\(condition.comparison.rawValue) \(values)"
    }
    if basisPoints < 10_000 { parts.append("\(Double(basisPoints) / 100) % of the users") }
    return parts.isEmpty ? "" : " (\(parts.joined(separator: "; ")))"
  }

  /// The tweak that the rule is for.
  public var id: TweakID { TweakID(feature: feature, variable: variable) }

  /// Which share a user is in: from 0 up to 9,999.
  ///
  /// Whoever is below 500 is below 2,500, too, so raising a share takes the value from nobody. Shares of different
  /// tweaks have nothing to do with one another.
  ///
  /// - Parameters:
  ///   - name: The name of the tweak, or anything else that is to be divided.
  ///   - targetingKey: What stays the same for the user.
  /// - Returns: The remainder of MurmurHash3 of both, with a colon in between.
  public static func bucket(_ name: String, targetingKey: String) -> Int {
    Int(MurmurHash.hash("\(name):\(targetingKey)") % 10_000)
  }
}
