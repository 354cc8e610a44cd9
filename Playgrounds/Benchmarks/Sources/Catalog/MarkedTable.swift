public import Foundation

/// Puts a table between its markers in a Markdown file.
public func replaceTable(named name: String, in file: URL, with table: String) throws {
  let opening = "<!-- \(name) table -->"
  let closing = "<!-- end -->"
  let content = try String(contentsOf: file, encoding: .utf8)
  guard let start = content.range(of: opening),
    let end = content.range(of: closing, range: start.upperBound..<content.endIndex)
  else { throw MissingMarkers(file: file, opening: opening, closing: closing) }
  let result = "\(content[..<start.upperBound])\n\(table)\n\(content[end.lowerBound...])"
  try Data(result.utf8).write(to: file)
}

private struct MissingMarkers: Error, CustomStringConvertible {
  let file: URL
  let opening: String
  let closing: String

  var description: String {
    "\(file.path) has no line \(opening) followed by \(closing): add both where the table goes"
  }
}
