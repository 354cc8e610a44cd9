import Foundation

extension Sample {
  /// The fences in the doc comments of the library.
  static func inDocComments() throws -> [Sample] {
    try Project.files(below: "Sources", endingWith: ".swift").flatMap { path in
      let lines = try Project.text(path).split(separator: "\n", omittingEmptySubsequences: false).map { line in
        let trimmed = line.drop { $0 == " " }
        guard trimmed.hasPrefix("///") else { return Substring() }
        return trimmed.dropFirst(trimmed.hasPrefix("/// ") ? 4 : 3)
      }
      return fences(in: lines).map { Sample(path: path, pieces: [$0]) }
    }
  }

  /// The articles and the README; the fences of one article together are one program.
  static func inArticles() throws -> [Sample] {
    let paths =
      try ["README.md"] + Project.files(below: "Docs.docc", endingWith: ".md")
      + Project.files(below: "Sources", endingWith: ".md")
    return try paths.compactMap { path in
      let pieces = fences(in: try Project.text(path).split(separator: "\n", omittingEmptySubsequences: false))
      return pieces.isEmpty ? nil : Sample(path: path, pieces: pieces)
    }
  }

  /// The steps of tutorials; a file beside a step, with a name that ends in `.txt`, may have its output.
  static func inTutorials() throws -> [Sample] {
    let outputs = try Project.files(below: "Docs.docc/Resources", endingWith: ".txt")
    return try Project.files(below: "Docs.docc/Resources", endingWith: ".swift").map { path in
      let output = path.replacing(/\.swift$/, with: ".txt")
      return Sample(
        path: path,
        pieces: [try wholeFile(path)],
        output: outputs.contains(output) ? try Project.text(output) : nil
      )
    }
  }

  /// The pages of playgrounds.
  static func inPlaygrounds() throws -> [Sample] {
    try Project.files(below: "Playgrounds", endingWith: ".xcplaygroundpage/Contents.swift").map { path in
      Sample(path: path, pieces: [try wholeFile(path)])
    }
  }

  private static func wholeFile(_ path: String) throws -> Piece {
    Piece(line: 1, code: try Project.text(path).split(separator: "\n", omittingEmptySubsequences: false))
  }

  /// The code that this machine compiles.
  private static func fences(in lines: [Substring]) -> [Piece] {
    allFences(in: lines).filter { $0.use == .run || $0.use == .onlyCompiled }
  }

  /// The code between each ```` ```swift ```` and ```` ``` ````.
  static func allFences(in lines: [Substring]) -> [Piece] {
    var pieces: [Piece] = []
    var open: (piece: Piece, indentation: Int, isSwift: Bool)?
    var lastProse: Substring = ""
    for (index, line) in lines.enumerated() {
      let text = line.drop { $0 == " " }
      if let fence = open {
        if text == "```" {
          if fence.isSwift { pieces.append(fence.piece) }
          open = nil
          lastProse = ""
        } else {
          open?.piece.code.append(line.dropFirst(min(fence.indentation, line.count - text.count)))
        }
      } else if text.hasPrefix("```") {
        let piece = Piece(line: index + 2, code: [], use: Use(rawValue: String(lastProse)) ?? .run)
        open = (piece, line.count - text.count, text.dropFirst(3) == "swift")
      } else if !text.isEmpty {
        lastProse = text
      }
    }
    return pieces
  }
}
