/// A context of attributes of the user, the device or the situation, by which values are chosen.
public struct TweakContext: Sendable, Hashable {
  /// The stable identity of the user, such as an installation identifier.
  ///
  /// It determines the user's bucket, and so the shares that include the user. An empty string counts as missing.
  public var targetingKey: String?

  /// Other attributes by name.
  public var attributes: [String: TweakValue]

  /// Creates a context.
  ///
  /// - Parameters:
  ///   - targetingKey: The stable identity of the user.
  ///   - attributes: Other attributes by name.
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
/// - the values cannot be compared: there are none, or their kinds differ, as with the text `"18"` and the number 18.
///
/// The provider's ``TargetingTweakProvider/failures`` report the last two.
public struct TweakCondition: Sendable, Hashable, Codable {
  /// An operator that compares an attribute with values.
  public struct Operator: RawRepresentable, Sendable, Hashable, Codable {
    /// The name of the operator.
    public let rawValue: String

    /// Creates an operator by name, which may be unknown.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The attribute is one of the values.
    public static let isOneOf = Operator(rawValue: "isOneOf")

    /// The attribute is a string that begins with one of the values.
    public static let startsWith = Operator(rawValue: "startsWith")

    /// The attribute is a string that ends with one of the values.
    public static let endsWith = Operator(rawValue: "endsWith")

    /// The attribute is a string that contains one of the values.
    public static let contains = Operator(rawValue: "contains")

    /// The attribute is a number that is less than one of the values.
    public static let isLess = Operator(rawValue: "isLess")

    /// The attribute is a number that is greater than one of the values.
    public static let isGreater = Operator(rawValue: "isGreater")

    /// The attribute is a version that is equal to or later than one of the values.
    ///
    /// A version is a string of numbers separated by dots, such as `2.10.1`. Neither `v3.0` nor `2.10.1-beta` is one.
    public static let isVersionFrom = Operator(rawValue: "isVersionFrom")
  }

  let attribute: String
  let comparison: Operator
  let values: [TweakValue]
  let isNegated: Bool

  /// Creates a condition.
  ///
  /// - Parameters:
  ///   - attribute: The attribute.
  ///   - comparison: The operator.
  ///   - values: The values to compare with.
  ///   - isNegated: A Boolean value that indicates whether the result of the comparison is negated.
  public init(_ attribute: String, _ comparison: Operator, _ values: TweakValue..., isNegated: Bool = false) {
    self.attribute = attribute
    self.comparison = comparison
    self.values = values
    self.isNegated = isNegated
  }
}

/// A rule that gives a tweak a value under conditions, or for a share of all users.
public struct TweakRule: Sendable, Hashable, Codable {
  /// The feature.
  let feature: String

  /// The variable of the feature.
  let variable: String

  /// The value that the rule gives.
  let value: TweakValue

  /// The conditions, all of which must hold.
  let conditions: [TweakCondition]

  /// The share of the users that get the value, in hundredths of a percent.
  let basisPoints: Int

  /// Creates a rule.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  ///   - value: The value that the rule gives.
  ///   - conditions: The conditions, all of which must hold.
  ///   - basisPoints: The share of the users that get the value, in hundredths of a percent: 10,000 is everyone. A
  ///     share below 0 counts as 0, and one above 10,000 as 10,000.
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

  /// The conditions and the share in parentheses, or an empty string if the rule always applies.
  var reasons: String {
    var parts = conditions.map { condition in
      let values = condition.values.map(\.description).joined(separator: ", ")
      return "\(condition.attribute) \(condition.isNegated ? "not " : "")\(condition.comparison.rawValue) \(values)"
    }
    if basisPoints < 10_000 { parts.append("\(Double(basisPoints) / 100) % of users") }
    return parts.isEmpty ? "" : " (\(parts.joined(separator: "; ")))"
  }

  /// The tweak to which the rule applies.
  package var id: TweakID { TweakID(feature: feature, variable: variable) }

  /// Returns the bucket of a user, from 0 to 9,999.
  ///
  /// A user in a bucket below 500 is also below 2,500, so raising a share takes the value from no user. The buckets of
  /// different tweaks are independent.
  ///
  /// - Parameters:
  ///   - name: The name of the tweak, or of another subject of the division.
  ///   - targetingKey: The stable identity of the user.
  /// - Returns: The remainder of MurmurHash3 of both, with a colon in between.
  package static func bucket(_ name: String, targetingKey: String) -> Int {
    Int(MurmurHash.hash("\(name):\(targetingKey)") % 10_000)
  }
}

/// MurmurHash3, the variant of 32 bits for x86: the same on every platform and in every process.
enum MurmurHash {
  static func hash(_ text: String, seed: UInt32 = 0) -> UInt32 {
    let bytes = Array(text.utf8)
    var hash = seed
    var index = 0
    while index + 4 <= bytes.count {
      var word: UInt32 = 0
      for offset in 0..<4 { word |= UInt32(bytes[index + offset]) << UInt32(8 * offset) }
      hash ^= scrambled(word)
      hash = rotated(hash, by: 13) &* 5 &+ 0xE654_6B64
      index += 4
    }
    var tail: UInt32 = 0
    for offset in 0..<(bytes.count - index) { tail |= UInt32(bytes[index + offset]) << UInt32(8 * offset) }
    hash ^= scrambled(tail)
    hash ^= UInt32(bytes.count)
    hash ^= hash >> 16
    hash &*= 0x85EB_CA6B
    hash ^= hash >> 13
    hash &*= 0xC2B2_AE35
    return hash ^ hash >> 16
  }

  private static func scrambled(_ word: UInt32) -> UInt32 { rotated(word &* 0xCC9E_2D51, by: 15) &* 0x1B87_3593 }

  private static func rotated(_ word: UInt32, by bits: UInt32) -> UInt32 { word << bits | word >> (32 - bits) }
}
