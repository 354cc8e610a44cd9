/// The input and the output of a conversion.
struct ConversionOptions: Sendable {
  /// The known formats.
  ///
  /// The format of this package's tweaks is JustTweak's.
  enum Format: String, CaseIterable, Sendable {
    case justtweak, toggles
  }

  let from: Format
  let to: Format
  let feature: String
  let input: String
  let output: String

  init(_ words: [String]) throws(UsageError) {
    let arguments = try Arguments(words, options: [(nil, "from"), (nil, "to"), (nil, "feature")])
    from = try Self.format(try arguments.required("from"))
    to = try Self.format(try arguments.one("to") ?? Format.justtweak.rawValue)
    guard from == .justtweak || to == .justtweak else {
      throw UsageError(reason: "the input is already a Toggles file")
    }
    let feature = try arguments.one("feature")
    guard feature == nil || from == .toggles else {
      throw UsageError(reason: "--feature applies only to Toggles files, which have no features of their own")
    }
    self.feature = feature ?? "toggles"
    guard arguments.rest.count == 2 else { throw UsageError(reason: "expected an input file and an output file") }
    input = arguments.rest[0]
    output = arguments.rest[1]
  }

  private static func format(_ name: String) throws(UsageError) -> Format {
    if let format = Format(rawValue: name) { return format }
    let known = Format.allCases.map(\.rawValue).joined(separator: ", ")
    throw UsageError(reason: "unknown format \(name); expected one of \(known)")
  }

  /// Writes the file, unless there are errors.
  func run(_ diagnostics: inout Diagnostics) {
    do throws(FileError) {
      let file = try Files.contents(of: input)
      let tweaks =
        switch from {
        case .justtweak: JustTweakFile.tweaks(of: file, diagnostics: &diagnostics)
        case .toggles: TogglesFile.tweaks(of: file, feature: feature, diagnostics: &diagnostics)
        }
      let text =
        switch to {
        case .justtweak: TweaksJSON.text(of: tweaks)
        case .toggles: TogglesJSON.text(of: tweaks, in: file, diagnostics: &diagnostics)
        }
      guard !diagnostics.hasErrors else { return }
      try Files.update(output, with: text)
    } catch {
      diagnostics.add(error)
    }
  }
}
