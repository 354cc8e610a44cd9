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
