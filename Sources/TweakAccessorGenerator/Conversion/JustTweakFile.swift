import StrictJSON
import TweakFormat

/// A file of JustTweak, in the same format, but read as leniently as JustTweak reads it.
enum JustTweakFile {
  static func tweaks(of file: InputFile, diagnostics: inout Diagnostics) -> [ConvertedTweak] {
    guard let json = file.json(trailingCommas: .accepted, &diagnostics),
      let root = file.object(json, "the features", &diagnostics)
    else { return [] }
    var tweaks: [ConvertedTweak] = []
    for feature in root.members {
      guard let variables = file.object(feature.value, feature.name.debugDescription, &diagnostics) else { continue }
      for variable in variables.members {
        let name = "\"\(feature.name)/\(variable.name)\""
        guard let fields = file.object(variable.value, name, &diagnostics) else { continue }
        tweaks.append(tweak(feature.name, variable, fields, &diagnostics))
      }
    }
    return tweaks
  }

  private static func tweak(
    _ feature: String, _ variable: JSONMember, _ fields: ObjectReader, _ diagnostics: inout Diagnostics
  ) -> ConvertedTweak {
    fields.drop(
      unless: ["Title", "Description", "Group", "Value", "GeneratedPropertyName", "Encrypted", "PreserveFloat"],
      &diagnostics
    )
    let isWide = fields.flag("PreserveFloat", &diagnostics)
    return ConvertedTweak(
      feature: feature, variable: variable.name, offset: variable.offset,
      value: value(variable, fields, isWide: isWide, &diagnostics),
      title: fields.string("Title", &diagnostics), details: fields.string("Description", &diagnostics),
      group: fields.string("Group", &diagnostics),
      propertyName: fields.string("GeneratedPropertyName", &diagnostics),
      isEncrypted: fields.flag("Encrypted", &diagnostics)
    )
  }

  private static func value(
    _ variable: JSONMember, _ fields: ObjectReader, isWide: Bool, _ diagnostics: inout Diagnostics
  ) -> TweakDocument.Value {
    guard let node = fields["Value"] else {
      diagnostics.add(
        "\(fields.name) has no \"Value\"; JustTweak reads it as false, so false is written", in: fields.file,
        at: variable.offset, isWarning: true
      )
      return .bool(false)
    }
    if let value = TweakDocument.Value(node, isWide: isWide) { return value }
    if case .int(let number) = node.content {
      diagnostics.add("\(number) has no exact Double", in: fields.file, at: node.offset)
      return .int(number)
    }
    diagnostics.add(
      "the value of \(fields.name) is \(node.kind); JustTweak reads it as false, so false is written",
      in: fields.file, at: node.offset, isWarning: true
    )
    return .bool(false)
  }
}
