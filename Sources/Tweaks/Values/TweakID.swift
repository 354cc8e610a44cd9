import FileSignals

/// The name of a tweak, which consists of a feature and a variable.
///
/// Both may be any string. `a.b`/`c` and `a`/`b.c` are different tweaks in every store.
public struct TweakID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The feature.
  public let feature: String

  /// The variable of the feature.
  public let variable: String

  /// Creates a name.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  @inlinable
  public init(feature: String, variable: String) {
    self.feature = feature
    self.variable = variable
  }

  /// Both names, with a slash in between.
  public var description: String { "\(feature)/\(variable)" }

  /// Compares the features, and within a feature the variables.
  ///
  /// - Parameters:
  ///   - first: A name.
  ///   - second: Another name.
  /// - Returns: Whether the first comes before the second.
  public static func < (first: TweakID, second: TweakID) -> Bool {
    (first.feature, first.variable) < (second.feature, second.variable)
  }
}

/// The name of a tweak with its type and a default value.
///
/// Declare keys once, as constants: reading with an existing key is the fastest way by name.
///
/// ```swift
/// import Tweaks
///
/// extension TweakKey where Value == Int {
///   static let answer = TweakKey("general", "answer", default: 42)
/// }
/// let manager = TweakManager(providers: [EphemeralTweakProvider()])
/// print(manager[.answer])  // Prints "42"
/// try manager.set(43, for: .answer)
/// print(manager[.answer])  // Prints "43"
/// ```
public struct TweakKey<Value: TweakValueConvertible>: Sendable {
  /// The tweak's name.
  public let id: TweakID

  /// The value that is used if no provider has a value of the type.
  public let defaultValue: Value

  /// The hash of the name in the table of slots.
  @usableFromInline let hash: Int

  /// Creates a key.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  ///   - defaultValue: The default value.
  public init(_ feature: String, _ variable: String, default defaultValue: Value) {
    id = TweakID(feature: feature, variable: variable)
    self.defaultValue = defaultValue
    hash = SlotTable.hash(feature, variable)
  }
}

/// The name of a tweak as one string, which can be split again.
///
/// A slash separates the two parts. A slash or a percent sign inside a part is escaped.
enum TweakName {
  static func text(of id: TweakID) -> String { escaped(id.feature) + "/" + escaped(id.variable) }

  static func id(of text: String) -> TweakID? {
    let parts = text.parts(separatedBy: "/")
    guard parts.count == 2, let feature = unescaped(parts[0]), let variable = unescaped(parts[1]) else { return nil }
    return TweakID(feature: feature, variable: variable)
  }

  private static func escaped(_ part: String) -> String {
    guard part.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") }) else { return part }
    var escaped = String.UnicodeScalarView()
    for scalar in part.unicodeScalars {
      switch scalar {
      case "%": escaped.append(contentsOf: "%25".unicodeScalars)
      case "/": escaped.append(contentsOf: "%2F".unicodeScalars)
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }

  private static func unescaped(_ part: String) -> String? {
    // Each part after the first one follows a percent sign.
    let parts = part.parts(separatedBy: "%")
    var text = parts[0]
    for part in parts.dropFirst() {
      if part.begins(with: "25") {
        text += "%"
      } else if part.begins(with: "2F") {
        text += "/"
      } else {
        return nil
      }
      text.unicodeScalars.append(contentsOf: part.unicodeScalars.dropFirst(2))
    }
    return text
  }
}
