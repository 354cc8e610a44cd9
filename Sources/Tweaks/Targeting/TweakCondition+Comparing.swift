extension TweakCondition {
  /// The reason why a condition cannot be decided.
  ///
  /// It does not contain the attribute, which may be personal.
  struct Problem: Error {
    let reason: String
  }

  /// Returns whether the condition holds in a context.
  func holds(in context: TweakContext) throws(Problem) -> Bool {
    let compare = try comparator()
    if values.isEmpty { throw Problem(reason: "the condition has no values") }
    guard let attribute = context.attributes[attribute] else { return false }
    var problem: Problem?
    for value in values {
      do throws(Problem) {
        if try compare(attribute, value) { return !isNegated }
      } catch {
        problem = problem ?? error
      }
    }
    if let problem { throw problem }
    return isNegated
  }

  private typealias Comparator = (TweakValue, TweakValue) throws(Problem) -> Bool

  /// Returns the comparison of an attribute with a value.
  private func comparator() throws(Problem) -> Comparator {
    switch comparison {
    case .isOneOf: return Self.isEqual
    case .startsWith: return Self.text { $0.hasPrefix($1) }
    case .endsWith: return Self.text { $0.hasSuffix($1) }
    case .contains: return Self.text { $0.contains($1) }
    case .isLess: return { attribute, value throws(Problem) in try Self.isLess(attribute, value, attribute, value) }
    case .isGreater: return { attribute, value throws(Problem) in try Self.isLess(value, attribute, attribute, value) }
    case .isVersionFrom: return Self.isVersion
    default:
      let name = comparison.rawValue.debugDescription
      throw Problem(reason: "this version does not support the operator \(name)")
    }
  }

  private static func isEqual(_ attribute: TweakValue, _ value: TweakValue) throws(Problem) -> Bool {
    if attribute.kind == value.kind { return attribute == value }
    guard attribute.isNumber, value.isNumber else { throw kinds(attribute, value) }
    guard let number = Double(tweakValue: attribute), let other = Double(tweakValue: value) else { return false }
    return number == other
  }

  private static func text(_ holds: @escaping (String, String) -> Bool) -> Comparator {
    { attribute, value throws(Problem) in
      guard case .string(let text) = attribute, case .string(let other) = value else {
        throw kinds(attribute, value, needing: "strings")
      }
      return holds(text, other)
    }
  }

  /// Compares two numbers, which are the attribute and the value in either order.
  private static func isLess(
    _ first: TweakValue, _ second: TweakValue, _ attribute: TweakValue, _ value: TweakValue
  ) throws(Problem) -> Bool {
    if case .int(let number) = first, case .int(let other) = second { return number < other }
    guard let number = Double(tweakValue: first), let other = Double(tweakValue: second), !number.isNaN, !other.isNaN
    else { throw kinds(attribute, value, needing: "numbers") }
    return number < other
  }

  private static func isVersion(_ attribute: TweakValue, from value: TweakValue) throws(Problem) -> Bool {
    guard let other = numbers(of: value) else {
      throw Problem(reason: "the value \(value.description.debugDescription) is not a version, such as \"2.10.1\"")
    }
    guard let version = numbers(of: attribute) else {
      throw Problem(reason: "the attribute, a \(attribute.kind.rawValue), is not a version, such as \"2.10.1\"")
    }
    return !version.lexicographicallyPrecedes(other)
  }

  private static func kinds(_ attribute: TweakValue, _ value: TweakValue, needing needed: String? = nil) -> Problem {
    let other = "\(value.kind.rawValue) \(value.description.debugDescription)"
    let advice = needed.map { "; both must be \($0)" } ?? ""
    return Problem(
      reason: "the type of the attribute is \(attribute.kind.rawValue), but the value is the \(other)\(advice)")
  }

  /// Returns the numbers of a version, without trailing zeros, or `nil` if the value is not a version.
  private static func numbers(of value: TweakValue) -> [Int]? {
    guard case .string(let text) = value else { return nil }
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
}
