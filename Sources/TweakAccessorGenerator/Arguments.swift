/// An error for invalid arguments.
struct UsageError: Error, Hashable, Sendable {
  let reason: String
}

/// The parsed arguments.
struct Arguments: Sendable {
  /// The values of each option, by its long name.
  private var values: [String: [String]] = [:]

  /// The arguments that belong to no option.
  private(set) var rest: [String] = []

  /// Separates options from their values: `-l FILE`, `--local-tweaks-file-path FILE`, `--local-tweaks-file-path=FILE`.
  init(_ arguments: [String], options: [(short: String?, long: String)]) throws(UsageError) {
    var iterator = arguments.makeIterator()
    while let argument = iterator.next() {
      guard argument.hasPrefix("-"), argument != "-" else {
        rest.append(argument)
        continue
      }
      let parts = argument.unicodeScalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { String($0) }
      guard let option = options.first(where: { "--" + $0.long == parts[0] || $0.short.map { "-" + $0 } == argument })
      else { throw UsageError(reason: "unknown option \(parts[0])") }
      guard let value = parts.count == 2 ? parts[1] : iterator.next(), !value.isEmpty else {
        throw UsageError(reason: "missing value for \(parts[0])")
      }
      values[option.long, default: []].append(value)
    }
  }

  /// Returns all values of an option.
  func all(_ option: String) -> [String] { values[option] ?? [] }

  /// Returns the value of an option that may be given once.
  func one(_ option: String) throws(UsageError) -> String? {
    let all = all(option)
    guard all.count < 2 else { throw UsageError(reason: "--\(option) is given more than once") }
    return all.first
  }

  /// Returns the value of an option that must be given exactly once.
  func required(_ option: String) throws(UsageError) -> String {
    guard let value = try one(option) else { throw UsageError(reason: "missing option --\(option)") }
    return value
  }
}

/// The input files and the output folder of a generation.
struct GenerationOptions: Sendable {
  let inputs: [String]
  let folder: String
  let configuration: String?

  init(_ words: [String]) throws(UsageError) {
    let arguments = try Arguments(
      words,
      options: [("l", "local-tweaks-file-path"), ("o", "output-folder"), ("c", "configuration-folder")]
    )
    if let word = arguments.rest.first { throw UsageError(reason: "unexpected argument \(word)") }
    inputs = arguments.all("local-tweaks-file-path")
    guard !inputs.isEmpty else { throw UsageError(reason: "missing option --local-tweaks-file-path") }
    folder = try arguments.required("output-folder")
    configuration = try arguments.one("configuration-folder")
      .map { Files.isDirectory($0) ? $0 + "/config.json" : $0 }
  }

  /// Writes the code, unless there are errors.
  func run(_ diagnostics: inout Diagnostics) {
    do throws(FileError) {
      var configuration = Configuration()
      if let path = self.configuration {
        configuration = Configuration.read(try Files.contents(of: path), diagnostics: &diagnostics)
      }
      var files: [InputFile] = []
      for path in inputs { files.append(try Files.contents(of: path)) }
      let accessor = Accessor(files, diagnostics: &diagnostics)
      guard !diagnostics.hasErrors else { return }
      let sources = Literal.line(files.map(\.name).joined(separator: ", "))
      let code = AccessorCode(accessor: accessor, configuration: configuration, sources: sources)
      try Files.makeDirectory(folder)
      for file in code.files { try Files.update("\(folder)/\(file.name)", with: file.text) }
    } catch {
      diagnostics.add(error)
    }
  }
}

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

/// The help text of the tool.
enum Help {
  static let text = """
    Generates a Swift type with a property for each tweak in the given files.

      TweakAccessorGenerator -l FILE… -o FOLDER [-c FOLDER]

      -l, --local-tweaks-file-path FILE   a JSON file of tweaks; repeat the option for more files
      -o, --output-folder FOLDER          the folder for the code; files with unchanged content are not rewritten
      -c, --configuration-folder FOLDER   the folder of a config.json, or the file itself, such as
                                          { "accessorName": "GeneratedTweakAccessor", "accessLevel": "internal" }

    Converts a file of another library to a file of tweaks, or the reverse.

      TweakAccessorGenerator convert --from justtweak|toggles [--to toggles] [--feature NAME] INPUT OUTPUT

      --from FORMAT                       the format of the input
      --to FORMAT                         the format of the output; by default justtweak, the format of tweak files
      --feature NAME                      the feature for the variables of a Toggles file; by default "toggles"

    Problems are reported as FILE:LINE:COLUMN: error: …. If there is an error, nothing is written.
    """
}
