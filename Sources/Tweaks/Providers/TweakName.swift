/// The name of a tweak as one string, which can be split again.
///
/// A slash separates the two parts. A slash or a percent sign inside a part is escaped.
enum TweakName {
  static func text(of id: TweakID) -> String { escaped(id.feature) + "/" + escaped(id.variable) }

  static func id(of text: some StringProtocol) -> TweakID? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let feature = unescaped(parts[0]), let variable = unescaped(parts[1]) else { return nil }
    return TweakID(feature: feature, variable: variable)
  }

  private static func escaped(_ part: String) -> String {
    guard part.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") }) else { return part }
    return String(part.flatMap { $0 == "%" ? Array("%25") : $0 == "/" ? Array("%2F") : [$0] })
  }

  private static func unescaped(_ part: some StringProtocol) -> String? {
    guard part.contains("%") else { return String(part) }
    var text = ""
    var rest = part[...]
    while let index = rest.firstIndex(of: "%") {
      text += rest[..<index]
      rest = rest[index...]
      if rest.hasPrefix("%25") {
        text += "%"
      } else if rest.hasPrefix("%2F") {
        text += "/"
      } else {
        return nil
      }
      rest = rest.dropFirst(3)
    }
    return text + rest
  }
}
