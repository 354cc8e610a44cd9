import StrictJSON
import TweakFormat

/// A file of Toggles: a list of variables, each with a value of a named type.
enum TogglesFile {
  private static let types = ["bool", "int", "number", "string", "secure", "object"]

  static func tweaks(of file: InputFile, feature: String, diagnostics: inout Diagnostics) -> [ConvertedTweak] {
    guard let json = file.json(trailingCommas: .accepted, &diagnostics),
      let root = file.object(json, "the toggles", &diagnostics)
    else { return [] }
    root.drop(unless: ["toggles"], &diagnostics)
    guard let list = root["toggles"], case .array(let toggles) = list.content else {
      diagnostics.add("expected an array \"toggles\"", in: file, at: root["toggles"]?.offset ?? json.offset)
      return []
    }
    var tweaks: [ConvertedTweak] = []
    var offsets: [String: Int] = [:]
    for toggle in toggles {
      guard let fields = file.object(toggle, "a toggle", &diagnostics) else { continue }
      guard let variable = fields.string("variable", &diagnostics), !variable.isEmpty else {
        diagnostics.add("a toggle has no \"variable\"", in: file, at: toggle.offset)
        continue
      }
      if let first = offsets.updateValue(toggle.offset, forKey: variable) {
        let line = file.position(of: first).line
        diagnostics.add(
          "duplicate variable \(variable.debugDescription); the first one is on line \(line)", in: file,
          at: toggle.offset
        )
      }
      if let tweak = tweak(feature, variable, toggle, fields, &diagnostics) { tweaks.append(tweak) }
    }
    return tweaks
  }

  private static func tweak(
    _ feature: String, _ variable: String, _ toggle: JSONNode, _ fields: ObjectReader, _ diagnostics: inout Diagnostics
  ) -> ConvertedTweak? {
    let fields = ObjectReader(file: fields.file, members: fields.members, name: variable.debugDescription)
    fields.drop(unless: Set(types + ["variable", "metadata"]), &diagnostics)
    let values = types.filter { fields[$0] != nil }
    guard let type = values.first, values.count == 1, let node = fields[type] else {
      diagnostics.add(
        "expected one value for \(fields.name) (\(types.joined(separator: ", "))), found \(values.count)",
        in: fields.file, at: toggle.offset
      )
      return nil
    }
    guard let value = value(node, of: type) else {
      diagnostics.add(
        "expected \(type.debugDescription) for \(fields.name), found \(node.kind)", in: fields.file, at: node.offset
      )
      return nil
    }
    if type == "object" {
      diagnostics.add(
        "the object of \(fields.name) becomes a String that contains its JSON", in: fields.file, at: node.offset,
        isWarning: true
      )
    }
    var tweak = ConvertedTweak(
      feature: feature, variable: variable, offset: toggle.offset, value: value, isEncrypted: type == "secure"
    )
    if let metadata = fields["metadata"].flatMap({ fields.file.object($0, "\"metadata\"", &diagnostics) }) {
      metadata.drop(unless: ["description", "group", "propertyName"], &diagnostics)
      tweak.title = metadata.string("description", &diagnostics)
      tweak.group = metadata.string("group", &diagnostics)
      tweak.propertyName = metadata.string("propertyName", &diagnostics)
    }
    // Titles are optional in Toggles, but accessors are generated only for tweaks that have one.
    tweak.title = tweak.title ?? variable
    tweak.group = tweak.group ?? "Other"
    return tweak
  }

  private static func value(_ node: JSONNode, of type: String) -> TweakDocument.Value? {
    switch (type, node.content) {
    case ("bool", .bool(let value)): .bool(value)
    case ("int", .int(let value)): .int(value)
    case ("int", .double(let value)): Int(exactly: value).map { .int($0) }
    case ("number", .double(let value)): .double(value)
    case ("number", .int(let value)): Double(exactly: value).map { .double($0) }
    case ("string", .string(let value)), ("secure", .string(let value)): .string(value)
    case ("object", .object): .string(TweaksJSON.compact(node))
    default: nil
    }
  }
}

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
