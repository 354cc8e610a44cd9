import StrictJSON

/// An input file with its content.
struct InputFile: Sendable {
  let path: String
  let bytes: [UInt8]
  private let lines: TextLines<[UInt8]>

  init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
    lines = TextLines(bytes)
  }

  /// Returns the line and the column of a byte.
  func position(of offset: Int) -> TextPosition { lines.position(of: offset) }

  /// The last component of the path.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}
