import FileSignals

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
