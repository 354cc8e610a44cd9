/// A rule that decides which values the inspector never reads into its model.
///
/// The rule applies to shared values, suites, log events, presence values and database rows. It is applied before
/// values are compared, shown, searched or exported. Secrets of sessions and of tweaks are always left out, whatever
/// the rule.
public struct InspectorRedaction: Sendable {
  private let isSecret: @Sendable (String) -> Bool

  /// Creates a rule.
  ///
  /// - Parameter isSecret: A closure that receives the name of a member or column and returns `true` if its value must
  ///   not be shown.
  public init(_ isSecret: @escaping @Sendable (_ name: String) -> Bool) {
    self.isSecret = isSecret
  }

  /// The rule that hides values whose names suggest a secret, such as `password`, `accessToken` or `api_key`.
  public static let standard = InspectorRedaction { name in
    let letters = name.lowercased().filter { $0.isLetter || $0.isNumber }
    return words.contains { letters.contains($0) }
  }

  private static let words = [
    "password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "privatekey", "credential",
    "authorization", "cookie", "bearer",
  ]

  /// Returns a rule that also hides the values with given names.
  ///
  /// - Parameter names: The names of members or columns, compared exactly.
  /// - Returns: The rule.
  public func hiding(_ names: String...) -> InspectorRedaction {
    let names = Set(names)
    return InspectorRedaction { [isSecret] name in names.contains(name) || isSecret(name) }
  }

  /// Returns a Boolean value that indicates whether a rule hides the values with a name.
  ///
  /// - Parameter name: The name of a member or column.
  /// - Returns: `true` if the values must not be shown.
  package func hides(_ name: String) -> Bool { isSecret(name) }

  /// Replaces the hidden parts of a value.
  ///
  /// - Parameter value: The value.
  /// - Returns: The value, and the places of the hidden parts as JSON pointers, in order.
  func apply(to value: InspectedValue) -> (value: InspectedValue, places: [String]) {
    var places: [String] = []
    return (apply(to: value, "", &places), places)
  }

  private func apply(to value: InspectedValue, _ path: String, _ places: inout [String]) -> InspectedValue {
    switch value {
    case .object(var members):
      for name in members.keys.sorted() {
        let place = path + "/" + JSONPointer.escaped(name)
        guard let member = members[name], member != .null else { continue }
        if isSecret(name) {
          members[name] = .redacted
          places.append(place)
        } else {
          members[name] = apply(to: member, place, &places)
        }
      }
      return .object(members)
    case .array(let elements):
      return .array(elements.enumerated().map { apply(to: $1, "\(path)/\($0)", &places) })
    default:
      return value
    }
  }
}
