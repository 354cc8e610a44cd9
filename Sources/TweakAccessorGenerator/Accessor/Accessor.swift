import StrictJSON
import TweakFormat

/// The generated type, with a property for each tweak.
struct Accessor: Sendable {
  /// A tweak, and the place of its first occurrence.
  struct Entry: Sendable {
    var tweak: TweakDocument.Variable
    let file: InputFile

    /// The name of the tweak's property.
    var property = ""

    var name: String { "\"\(tweak.feature)/\(tweak.name)\"" }
  }

  /// The tweaks in the order of their properties.
  private(set) var entries: [Entry] = []

  /// The names of the constants by their texts.
  private(set) var features: [String: String] = [:]
  private(set) var variables: [String: String] = [:]

  /// Collects the tweaks of all files.
  ///
  /// If several files contain a tweak, the first one takes precedence.
  init(_ files: [InputFile], diagnostics: inout Diagnostics) {
    var found: [TweakName: Int] = [:]
    for file in files {
      var problems: [TextProblem] = []
      let document = TweakDocument.read(file.bytes, problems: &problems)
      for problem in problems { diagnostics.add(problem, in: file) }
      let tweaks = (document?.features ?? [:]).values.flatMap(\.values).sorted { $0.offset < $1.offset }
      for tweak in tweaks {
        let name = TweakName(feature: tweak.feature, variable: tweak.name)
        if let index = found[name] {
          merge(tweak, of: file, into: &entries[index], diagnostics: &diagnostics)
        } else {
          found[name] = entries.count
          entries.append(Entry(tweak: tweak, file: file))
        }
      }
    }
    nameProperties(diagnostics: &diagnostics)
    features = constants(entries.map { ($0.tweak.feature, $0) }, diagnostics: &diagnostics)
    variables = constants(entries.map { ($0.tweak.name, $0) }, diagnostics: &diagnostics)
    entries.sort { ($0.property, $0.tweak.feature) < ($1.property, $1.tweak.feature) }
  }

  private struct TweakName: Hashable {
    let feature: String
    let variable: String
  }

  private func merge(
    _ tweak: TweakDocument.Variable, of file: InputFile, into entry: inout Entry, diagnostics: inout Diagnostics
  ) {
    if tweak.type != entry.tweak.type {
      diagnostics.add(
        "\(entry.name) has type \(tweak.type) here, but type \(entry.tweak.type) in \(place(of: entry))",
        in: file, at: tweak.offset
      )
    }
    entry.tweak.title = entry.tweak.title ?? tweak.title
    entry.tweak.details = entry.tweak.details ?? tweak.details
    entry.tweak.group = entry.tweak.group ?? tweak.group
    entry.tweak.isEncrypted = entry.tweak.isEncrypted || tweak.isEncrypted
    if let name = tweak.propertyName, let first = entry.tweak.propertyName, name != first {
      diagnostics.add(
        "the property of \(entry.name) is named \(name) here, but \(first) in \(place(of: entry))",
        in: file, at: tweak.propertyNameOffset ?? tweak.offset
      )
    }
    entry.tweak.propertyName = entry.tweak.propertyName ?? tweak.propertyName
  }

  // MARK: Names

  private mutating func nameProperties(diagnostics: inout Diagnostics) {
    var taken: [String: Entry] = [:]
    for index in entries.indices {
      let entry = entries[index]
      let tweak = entry.tweak
      for (field, text) in [("Title", tweak.title), ("Group", tweak.group)] where text == nil {
        diagnostics.add("\(entry.name) has no \"\(field)\"", in: entry.file, at: tweak.offset)
      }
      guard let name = property(of: entry, diagnostics: &diagnostics) else { continue }
      entries[index].property = name
      // A property wrapper is stored under the property's name with an underscore.
      let clashing = [name, "_" + name] + (name.hasPrefix("_") ? [String(name.dropFirst())] : [])
      if let first = clashing.compactMap({ taken[$0] }).first {
        diagnostics.add(
          "the property \(name) of \(entry.name) conflicts with the property \(first.property) of \(first.name) in "
            + "\(place(of: first)); give one of them a different \"GeneratedPropertyName\"",
          in: entry.file, at: place(of: tweak, in: entry)
        )
      }
      if taken[name] == nil { taken[name] = entries[index] }
    }
  }

  private func property(of entry: Entry, diagnostics: inout Diagnostics) -> String? {
    let reserved = ["tweakManager", "Features", "Variables", "Keys"]
    guard let name = entry.tweak.propertyName ?? Identifier.camelCased(entry.tweak.name) else {
      diagnostics.add(
        "cannot derive a property name from \(entry.name); add a \"GeneratedPropertyName\"",
        in: entry.file, at: entry.tweak.offset
      )
      return nil
    }
    guard Identifier.isValid(name) else {
      diagnostics.add(
        "\(name.debugDescription) is not a valid property name", in: entry.file, at: place(of: entry.tweak, in: entry)
      )
      return nil
    }
    guard !reserved.contains(name) else {
      diagnostics.add(
        "the accessor already has a member \(name); give \(entry.name) a different \"GeneratedPropertyName\"",
        in: entry.file, at: place(of: entry.tweak, in: entry)
      )
      return nil
    }
    return name
  }

  /// Returns the offset of the property's name, or of the variable from which it was derived.
  private func place(of tweak: TweakDocument.Variable, in entry: Entry) -> Int {
    tweak.propertyName == nil ? tweak.offset : tweak.propertyNameOffset ?? tweak.offset
  }

  private func place(of entry: Entry) -> String {
    "\(entry.file.name), line \(entry.file.position(of: entry.tweak.offset).line)"
  }

  /// Returns the names of constants by their texts.
  ///
  /// Texts that would have the same name are used as names themselves.
  private func constants(_ texts: [(String, Entry)], diagnostics: inout Diagnostics) -> [String: String] {
    var names: [String: String] = [:]
    var texts = texts
    texts.removeAll { text, _ in names.updateValue(Identifier.camelCased(text) ?? text, forKey: text) != nil }
    let counts = Dictionary(names.values.map { ($0, 1) }, uniquingKeysWith: +)
    for (text, entry) in texts {
      guard let name = names[text], counts[name, default: 0] > 1 || !Identifier.isValid(name) else { continue }
      names[text] = text
      guard Identifier.isValidRaw(text) else {
        diagnostics.add(
          "cannot derive a constant name from \(text.debugDescription)", in: entry.file, at: entry.tweak.offset
        )
        continue
      }
    }
    refuseEqualConstants(texts, names: names, diagnostics: &diagnostics)
    return names
  }

  /// Reports constants that would have one name, because the language reserves a name, which then gets an underscore.
  ///
  /// None of them is renamed, because that would rename it in code that uses it, whenever another one is added.
  private func refuseEqualConstants(
    _ texts: [(String, Entry)], names: [String: String], diagnostics: inout Diagnostics
  ) {
    var taken: [String: (text: String, entry: Entry)] = [:]
    for (text, entry) in texts {
      guard let name = names[text].map(Identifier.member) else { continue }
      guard let first = taken[name] else {
        taken[name] = (text, entry)
        continue
      }
      diagnostics.add(
        "the constant \(name) of \(text.debugDescription) conflicts with the constant \(name) of "
          + "\(first.text.debugDescription) in \(place(of: first.entry)); rename one of them",
        in: entry.file, at: entry.tweak.offset
      )
    }
  }
}

extension TweakDocument.Variable {
  /// The Swift type of the property.
  var type: String { structure == nil ? value.type : "TweakJSON" }
}

extension TweakDocument.Value {
  /// The Swift type.
  var type: String {
    switch self {
    case .bool: "Bool"
    case .int: "Int"
    case .double: "Double"
    case .string: "String"
    }
  }
}
