import StrictJSON

/// The content of the file `config.json`.
struct Configuration: Sendable {
  /// The name of the type.
  var accessorName = "GeneratedTweakAccessor"

  /// The access level of the type.
  var accessLevel = AccessLevel.internal

  enum AccessLevel: String, CaseIterable, Sendable {
    case `internal`, package, `public`
  }

  /// Reads `{ "accessorName": …, "accessLevel": … }`.
  static func read(_ file: InputFile, diagnostics: inout Diagnostics) -> Configuration {
    var configuration = Configuration()
    guard let root = file.json(&diagnostics) else { return configuration }
    guard case .object(let members) = root.content else {
      diagnostics.add("expected an object, found \(root.kind)", in: file, at: root.offset)
      return configuration
    }
    for member in members {
      let name = member.name.debugDescription
      guard ["accessorName", "accessLevel"].contains(member.name) else {
        diagnostics.add("unknown property \(name)", in: file, at: member.offset, isWarning: true)
        continue
      }
      guard case .string(let text) = member.value.content else {
        diagnostics.add("expected a String for \(name), found \(member.value.kind)", in: file, at: member.value.offset)
        continue
      }
      if member.name == "accessorName" {
        if AccessorCode.types.contains(text) {
          diagnostics.add(
            "the accessor cannot be named \(text), because its code uses a type of that name", in: file,
            at: member.value.offset
          )
        } else if Identifier.isValid(text), Identifier.declared(text) == text {
          configuration.accessorName = text
        } else {
          diagnostics.add("\(text.debugDescription) is not a valid type name", in: file, at: member.value.offset)
        }
      } else if let level = AccessLevel(rawValue: text) {
        configuration.accessLevel = level
      } else {
        let known = AccessLevel.allCases.map(\.rawValue.debugDescription).joined(separator: ", ")
        diagnostics.add(
          "unknown access level \(text.debugDescription); expected one of \(known)", in: file, at: member.value.offset
        )
      }
    }
    return configuration
  }
}
