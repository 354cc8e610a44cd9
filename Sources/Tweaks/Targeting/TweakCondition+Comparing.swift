extension TweakCondition {
  /// The outcome of a condition.
  enum Outcome: Sendable, Hashable {
    /// The condition holds.
    case holds

    /// The condition does not hold.
    case fails

    /// The operator is unknown.
    case unknownOperator

    /// The values cannot be compared, for this reason.
    case incomparable(String)
  }

  /// Compares the attribute of a context.
  func outcome(in context: TweakContext) -> Outcome {
    guard let comparator = Comparator(comparison) else { return .unknownOperator }
    if values.isEmpty { return .incomparable("the condition has no values") }
    guard let attribute = context.attributes[attribute] else { return .fails }
    var isMatch = false
    var reason: String?
    for value in values where !isMatch {
      switch comparator.compare(attribute, value) {
      case .success(let result): isMatch = result
      case .failure(let problem): reason = reason ?? problem.reason
      }
    }
    if !isMatch, let reason { return .incomparable(reason) }
    return isMatch != isNegated ? .holds : .fails
  }
}

/// A comparison of an attribute with a value.
private enum Comparator {
  /// The reason why two values cannot be compared.
  ///
  /// It does not contain the attribute, which may be personal.
  struct Problem: Error {
    let reason: String
  }

  case equality
  case text(@Sendable (String, String) -> Bool)
  case order(isLess: Bool)
  case version

  init?(_ comparison: TweakCondition.Operator) {
    switch comparison {
    case .isOneOf: self = .equality
    case .startsWith: self = .text { $0.hasPrefix($1) }
    case .endsWith: self = .text { $0.hasSuffix($1) }
    case .contains: self = .text { $0.contains($1) }
    case .isLess: self = .order(isLess: true)
    case .isGreater: self = .order(isLess: false)
    case .isVersionFrom: self = .version
    default: return nil
    }
  }

  func compare(_ attribute: TweakValue, _ value: TweakValue) -> Result<Bool, Problem> {
    switch self {
    case .equality:
      if attribute.isNumber && value.isNumber { return .success(attribute.isEqualNumber(to: value)) }
      return attribute.kind == value.kind ? .success(attribute == value) : .failure(Self.kinds(attribute, value))
    case .text(let holds):
      guard let text = attribute.stringValue, let other = value.stringValue else {
        return .failure(Self.kinds(attribute, value, needing: "strings"))
      }
      return .success(holds(text, other))
    case .order(let isLess):
      if case .int(let number) = attribute, case .int(let other) = value {
        return .success(isLess ? number < other : number > other)
      }
      guard let number = attribute.doubleValue, let other = value.doubleValue, !number.isNaN, !other.isNaN else {
        return .failure(Self.kinds(attribute, value, needing: "numbers"))
      }
      return .success(isLess ? number < other : number > other)
    case .version:
      guard let other = value.stringValue.flatMap(Self.version) else {
        let found = value.description.debugDescription
        return .failure(Problem(reason: "the value \(found) is not a version, such as \"2.10.1\""))
      }
      guard let version = attribute.stringValue.flatMap(Self.version) else {
        return .failure(Problem(reason: "the attribute, a \(attribute.kind), is not a version, such as \"2.10.1\""))
      }
      return .success(!version.lexicographicallyPrecedes(other))
    }
  }

  private static func kinds(_ attribute: TweakValue, _ value: TweakValue, needing needed: String? = nil) -> Problem {
    let other = "\(value.kind) \(value.description.debugDescription)"
    let advice = needed.map { "; both must be \($0)" } ?? ""
    return Problem(reason: "the type of the attribute is \(attribute.kind), but the value is the \(other)\(advice)")
  }

  /// Returns the numbers of a version, without trailing zeros, or `nil` if the string is not a version.
  private static func version(_ text: String) -> [Int]? {
    var numbers: [Int] = []
    for part in text.split(separator: ".", omittingEmptySubsequences: false) {
      guard part.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(part) else { return nil }
      numbers.append(number)
    }
    while numbers.last == 0 { numbers.removeLast() }
    return numbers
  }
}

extension TweakValue {
  fileprivate var isNumber: Bool { kind == .int || kind == .double }

  fileprivate func isEqualNumber(to other: TweakValue) -> Bool {
    if kind == other.kind { return self == other }
    guard let number = doubleValue, let otherNumber = other.doubleValue else { return false }
    return number == otherNumber
  }
}
