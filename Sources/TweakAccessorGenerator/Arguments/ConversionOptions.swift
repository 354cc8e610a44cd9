/// Which file becomes one of tweaks.
struct ConversionOptions: Sendable {
  /// The libraries whose files are known.
  enum Format: String, CaseIterable, Sendable {
    case justtweak, toggles
  }

  let format: Format
  let feature: String
  let input: String
  let output: String

  init(_ words: [String]) throws(UsageError) {
    let arguments = try Arguments(words, options: [(nil, "from"), (nil, "feature")])
    let name = try arguments.required("from")
    guard let format = Format(rawValue: name) else {
      let known = Format.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError(reason: "unknown format \(name); expected one of \(known)")
    }
    self.format = format
    let feature = try arguments.one("feature")
    guard feature == nil || format == .toggles else {
      throw UsageError(reason: "--feature is for files of Toggles, which know no features")
    }
    self.feature = feature ?? "toggles"
    guard arguments.rest.count == 2 else { throw UsageError(reason: "expected the names of two files") }
    input = arguments.rest[0]
    output = arguments.rest[1]
  }

  /// Writes the file, unless something is wrong.
  func run(_ diagnostics: inout Diagnostics) {
    do throws(FileError) {
      let file = try Files.contents(of: input)
      let tweaks =
        switch format {
        case .justtweak: JustTweakFile.tweaks(of: file, diagnostics: &diagnostics)
        case .toggles: TogglesFile.tweaks(of: file, feature: feature, diagnostics: &diagnostics)
        }
      guard !diagnostics.hasErrors else { return }
      try Files.update(output, with: TweaksJSON.text(of: tweaks))
    } catch {
      diagnostics.add(error)
    }
  }
}
