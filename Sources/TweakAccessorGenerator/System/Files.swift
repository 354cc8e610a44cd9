#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

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

/// Why a file could not be read or written.
struct FileError: Error, Sendable {
  let path: String
  let reason: String

  /// Makes an error of what the last call of the system said.
  init(_ what: String, _ path: String) {
    self.path = path
    reason = "\(what): \(String(cString: strerror(errno)))"
  }
}

/// The few things that the tool does with files; it starts in no time, because there is no Foundation to be loaded.
enum Files {
  static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  static func contents(of path: String) throws(FileError) -> InputFile {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError("it cannot be opened", path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &part, part.count)
      if count == 0 { return InputFile(path: path, bytes: bytes) }
      if count > 0 {
        bytes += part.prefix(count)
      } else if errno != EINTR {
        throw FileError("it cannot be read", path)
      }
    }
  }

  /// Writes a file, unless it is there and says the same: what depends on it is not built again for nothing.
  ///
  /// - Returns: Whether it was written.
  @discardableResult
  static func update(_ path: String, with text: String) throws(FileError) -> Bool {
    let new = Array(text.utf8)
    if let old = existing(path), old.bytes == new { return false }
    // What is there is replaced at once, so a compiler that reads it meanwhile never sees half of it.
    let temporary = "\(path).\(getpid())"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw FileError("it cannot be written", path) }
    let isWritten = writeAll(new, to: descriptor)
    let isClosed = close(descriptor) == 0
    guard isWritten, isClosed, rename(temporary, path) == 0 else {
      let error = FileError("it cannot be written", path)
      unlink(temporary)
      throw error
    }
    return true
  }

  /// Makes a folder, and those above it.
  static func makeDirectory(_ path: String) throws(FileError) {
    guard !isDirectory(path) else { return }
    if let slash = path.lastIndex(of: "/"), slash > path.startIndex { try makeDirectory(String(path[..<slash])) }
    guard mkdir(path, 0o755) == 0 || errno == EEXIST && isDirectory(path) else {
      throw FileError("the folder cannot be made", path)
    }
  }

  /// Says something, on the standard output (1) or where errors are told (2).
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
