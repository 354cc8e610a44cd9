import StrictJSON
import TweakFormat

/// A writer of tweak files, and of their JSON.
enum TweaksJSON {
  /// Returns the file of the tweaks, in their order.
  static func text(of tweaks: [ConvertedTweak]) -> String {
    var features: [(name: String, tweaks: [ConvertedTweak])] = []
    var places: [String: Int] = [:]
    for tweak in tweaks {
      let place = places[tweak.feature] ?? features.count
      if place == features.count {
        features.append((tweak.feature, []))
        places[tweak.feature] = place
      }
      features[place].tweaks.append(tweak)
    }
    let parts = features.map { feature in
      let variables = feature.tweaks.map { "    \(quoted($0.variable)): {\n\(fields(of: $0))\n    }" }
      return "  \(quoted(feature.name)): {\n\(variables.joined(separator: ",\n"))\n  }"
    }
    return parts.isEmpty ? "{}\n" : "{\n\(parts.joined(separator: ",\n"))\n}\n"
  }

  private static func fields(of tweak: ConvertedTweak) -> String {
    let texts = [("Title", tweak.title), ("Description", tweak.details), ("Group", tweak.group)]
    var fields = texts.compactMap { name, text in text.map { (name, quoted($0)) } }
    fields.append(("Value", value(tweak.value)))
    if let name = tweak.propertyName { fields.append(("GeneratedPropertyName", quoted(name))) }
    if tweak.isEncrypted { fields.append(("Encrypted", "true")) }
    return fields.map { "      \"\($0)\": \($1)" }.joined(separator: ",\n")
  }

  static func value(_ value: TweakDocument.Value) -> String {
    switch value {
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): quoted(value)
    }
  }

  /// Returns a value as JSON without white space.
  static func compact(_ node: JSONNode) -> String {
    switch node.content {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): quoted(value)
    case .array(let elements): "[\(elements.map(compact).joined(separator: ","))]"
    case .object(let members):
      "{\(members.map { "\(quoted($0.name)):\(compact($0.value))" }.joined(separator: ","))}"
    }
  }

  static func quoted(_ text: String) -> String { String(decoding: JSONText.quoted(text), as: UTF8.self) }
}

/// A tweak from another library's file.
struct ConvertedTweak: Sendable {
  let feature: String
  let variable: String

  /// The offset in the other file.
  let offset: Int
  var value: TweakDocument.Value
  var title: String?
  var details: String?
  var group: String?
  var propertyName: String?
  var isEncrypted = false
}
