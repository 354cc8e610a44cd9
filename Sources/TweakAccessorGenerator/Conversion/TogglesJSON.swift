import StrictJSON
import TweakFormat

/// A writer of Toggles files, for the reverse conversion.
enum TogglesJSON {
  /// Returns the file of the tweaks, in their order.
  static func text(of tweaks: [ConvertedTweak], in file: InputFile, diagnostics: inout Diagnostics) -> String {
    var first: [String: ConvertedTweak] = [:]
    var toggles: [String] = []
    for tweak in tweaks {
      if let first = first[tweak.variable] {
        diagnostics.add(
          "Toggles has no features, so \(name(of: tweak)) conflicts with \(name(of: first)) on line "
            + "\(file.position(of: first.offset).line)",
          in: file, at: tweak.offset
        )
      } else {
        first[tweak.variable] = tweak
      }
      toggles.append("    {\n\(fields(of: tweak, in: file, &diagnostics))\n    }")
    }
    return "{\n  \"toggles\": [\n\(toggles.joined(separator: ",\n"))\n  ]\n}\n"
  }

  private static func name(of tweak: ConvertedTweak) -> String { "\"\(tweak.feature)/\(tweak.variable)\"" }

  private static func fields(of tweak: ConvertedTweak, in file: InputFile, _ diagnostics: inout Diagnostics) -> String {
    var type =
      switch tweak.value {
      case .bool: "bool"
      case .int: "int"
      case .double: "number"
      case .string: "string"
      }
    if tweak.isEncrypted {
      if type != "string" {
        diagnostics.add("\(name(of: tweak)) is encrypted, but not a String", in: file, at: tweak.offset)
      }
      type = "secure"
    }
    let texts = [
      ("description", tweak.title ?? tweak.details), ("group", tweak.group), ("propertyName", tweak.propertyName),
    ]
    let metadata = texts.compactMap { name, text in text.map { "        \"\(name)\": \(TweaksJSON.quoted($0))" } }
    var fields = [
      "\"variable\": \(TweaksJSON.quoted(tweak.variable))", "\"\(type)\": \(TweaksJSON.value(tweak.value))",
    ]
    if !metadata.isEmpty { fields.append("\"metadata\": {\n\(metadata.joined(separator: ",\n"))\n      }") }
    return fields.map { "      \($0)" }.joined(separator: ",\n")
  }
}
