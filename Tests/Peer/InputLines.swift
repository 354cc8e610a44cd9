import CLibrary

/// The lines of the standard input.
///
/// `readLine()` calls the C library again and again if a call was once interrupted, because the stream keeps its error.
struct InputLines: IteratorProtocol, Sequence {
  private var bytes: [UInt8] = []

  mutating func next() -> String? {
    while true {
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: bytes[..<end], as: UTF8.self)
        bytes.removeSubrange(...end)
        return line
      }
      var piece = [UInt8](repeating: 0, count: 4096)
      let count = read(0, &piece, piece.count)
      // A failure that a test has injected is not the end of the input.
      if count < 0, errno != EBADF { continue }
      guard count > 0 else { return nil }
      bytes += piece[..<count]
    }
  }
}
