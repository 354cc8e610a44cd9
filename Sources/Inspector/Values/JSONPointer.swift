import FileSignals

/// Paths to places in JSON values, as RFC 6901 defines them.
enum JSONPointer {
  /// Returns a name as a part of a path.
  static func escaped(_ name: String) -> String {
    guard name.holds("~") || name.holds("/") else { return name }
    return name.parts(separatedBy: "~").joined(separator: "~0").parts(separatedBy: "/").joined(separator: "~1")
  }

  /// Returns the parts of a path.
  static func parts(_ path: String) -> [String] {
    path.parts(separatedBy: "/").dropFirst().map(unescaped)
  }

  private static func unescaped(_ part: String) -> String {
    var name = String.UnicodeScalarView()
    var rest = part.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch (scalar, rest.first) {
      case ("~", "1"): name.append("/")
      case ("~", "0"): name.append("~")
      default:
        name.append(scalar)
        continue
      }
      rest.removeFirst()
    }
    return String(name)
  }
}

extension InspectedValue {
  /// Returns the value at a place, or `nil` if there is no such place.
  func value(at path: [String]) -> InspectedValue? {
    guard let first = path.first else { return self }
    let rest = Array(path.dropFirst())
    switch self {
    case .object(let members): return members[first]?.value(at: rest)
    case .array(let elements):
      guard let index = Int(first), elements.indices.contains(index) else { return nil }
      return elements[index].value(at: rest)
    default: return nil
    }
  }

  /// Returns a copy with another value at a place, or without the member there if the value is `nil`.
  ///
  /// The parent of the place must exist; otherwise the result is `nil`.
  func replacing(_ path: [String], with value: InspectedValue?) -> InspectedValue? {
    guard let first = path.first else { return value }
    let rest = Array(path.dropFirst())
    switch self {
    case .object(var members):
      if rest.isEmpty {
        members[first] = value
      } else {
        guard let inner = members[first]?.replacing(rest, with: value) else { return nil }
        members[first] = inner
      }
      return .object(members)
    case .array(var elements):
      guard let index = Int(first), elements.indices.contains(index) else { return nil }
      guard let inner = elements[index].replacing(rest, with: value) else { return nil }
      elements[index] = inner
      return .array(elements)
    default: return nil
    }
  }
}
