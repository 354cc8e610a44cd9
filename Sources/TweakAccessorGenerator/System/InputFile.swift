/// A file that was read.
struct InputFile: Sendable {
  let path: String
  let bytes: [UInt8]

  /// The index of the first byte of each line.
  private let lines: [Int]

  init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
    lines = [0] + bytes.indices.filter { bytes[$0] == 0x0A }.map { $0 + 1 }
  }

  /// The line in which a byte is, and its column, both counted from 1.
  func place(of offset: Int) -> (line: Int, column: Int) {
    var range = lines.indices
    while range.count > 1 {
      let middle = range.lowerBound + range.count / 2
      range = lines[middle] <= offset ? middle..<range.upperBound : range.lowerBound..<middle
    }
    let line = range.lowerBound
    // People count characters, so the bytes that continue one are left out.
    return (line + 1, 1 + bytes[lines[line]..<offset].count { $0 & 0xC0 != 0x80 })
  }

  /// The last part of the path.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}
