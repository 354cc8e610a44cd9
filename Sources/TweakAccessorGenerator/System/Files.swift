import CLibrary
import StrictJSON

/// An error of reading or writing a file.
struct FileError: Error, Sendable {
  let path: String
  let reason: String

  /// Creates an error from the result of the last system call.
  init(_ what: String, _ path: String) {
    self.path = path
    reason = "\(what): \(String(cString: strerror(errno)))"
  }
}

/// The file operations of the tool.
///
/// They avoid Foundation, whose loading would delay the start.
enum Files {
  static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  static func contents(of path: String) throws(FileError) -> InputFile {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError("cannot open the file", path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &part, part.count)
      if count == 0 { return InputFile(path: path, bytes: bytes) }
      if count > 0 {
        bytes += part.prefix(count)
      } else if errno != EINTR {
        throw FileError("cannot read the file", path)
      }
    }
  }

  /// Writes a file, unless it already has this content, so that dependent files are not rebuilt needlessly.
  static func update(_ path: String, with text: String) throws(FileError) {
    let new = Array(text.utf8)
    if let old = existing(path), old.bytes == new { return }
    // The file is replaced at once, so that a compiler that reads it never sees a partial file.
    // A process identifier alone may occur twice if containers share the folder.
    let temporary = "\(path).\(getpid())-\(UInt64.random(in: .min ... .max))"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw FileError("cannot write the file", path) }
    let isWritten = writeAll(new, to: descriptor)
    let isClosed = close(descriptor) == 0
    guard isWritten, isClosed, rename(temporary, path) == 0 else {
      let error = FileError("cannot write the file", path)
      unlink(temporary)
      throw error
    }
  }

  /// Creates a folder and its parent folders.
  static func makeDirectory(_ path: String) throws(FileError) {
    guard !isDirectory(path) else { return }
    if let slash = path.lastIndex(of: "/"), slash > path.startIndex { try makeDirectory(String(path[..<slash])) }
    guard mkdir(path, 0o755) == 0 || errno == EEXIST && isDirectory(path) else {
      throw FileError("cannot create the folder", path)
    }
  }

  /// Writes a text to standard output (1) or standard error (2).
  static func say(_ text: String, on descriptor: CInt) {
    _ = writeAll(Array((text + "\n").utf8), to: descriptor)
  }

  private static func existing(_ path: String) -> InputFile? {
    do throws(FileError) {
      return try contents(of: path)
    } catch {
      return nil
    }
  }

  private static func writeAll(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }
}

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
