import Foundation

/// A path relative to a directory, in the bytes of the file system.
///
/// Names need not be valid UTF-8.
struct EntryPath: Hashable, Sendable {
  /// The names along the path, separated by slashes; empty for the directory itself.
  let bytes: [UInt8]

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// The directory itself.
  static let top = EntryPath(bytes: [])

  static let slash = UInt8(ascii: "/")
  static let (up, here) = (Array("..".utf8), Array(".".utf8))

  func appending(_ name: EntryPath) -> EntryPath {
    bytes.isEmpty ? name : EntryPath(bytes: bytes + [Self.slash] + name.bytes)
  }

  func appending(_ name: String) -> EntryPath { appending(EntryPath(name)) }

  /// The path in the form that system calls expect.
  var cString: [CChar] { (bytes.isEmpty ? [UInt8(ascii: ".")] : bytes).map(CChar.init(bitPattern:)) + [0] }

  /// Returns whether this path is a proper prefix of the other one.
  func isAncestor(of other: EntryPath) -> Bool {
    guard bytes.count < other.bytes.count, other.bytes.starts(with: bytes) else { return false }
    return bytes.isEmpty || other.bytes[bytes.count] == Self.slash
  }

  /// The directories that lead to the entry, the outermost first.
  var ancestors: [EntryPath] {
    bytes.indices.filter { bytes[$0] == Self.slash }.map { EntryPath(bytes: Array(bytes[..<$0])) }
  }

  /// The directory that contains the entry.
  var parent: EntryPath {
    guard let last = bytes.lastIndex(of: Self.slash) else { return .top }
    return EntryPath(bytes: Array(bytes[..<last]))
  }

  /// The last name.
  var name: EntryPath {
    guard let last = bytes.lastIndex(of: Self.slash) else { return self }
    return EntryPath(bytes: Array(bytes[(last + 1)...]))
  }

  /// The reason why the path may lead out of its directory without any link, or `nil` if it cannot.
  var problem: String? {
    if bytes.isEmpty { return "its path is empty" }
    if bytes.contains(0) { return "its path contains a NUL character, where the system would truncate it" }
    if bytes.first == Self.slash { return "its path is absolute" }
    for name in bytes.split(separator: Self.slash, omittingEmptySubsequences: false) {
      if name.isEmpty { return "its path has an empty component" }
      if name.elementsEqual(Self.up) { return "its path has the component \"..\"" }
      if name.elementsEqual(Self.here) { return "its path has the component \".\"" }
    }
    return nil
  }

  /// The path for display; names that are not valid UTF-8 are repaired.
  var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension EntryPath: Comparable {
  /// Orders paths by their bytes, so that a database precedes its log, and the entries of a directory are adjacent.
  static func < (first: EntryPath, second: EntryPath) -> Bool {
    first.bytes.lexicographicallyPrecedes(second.bytes)
  }
}

extension EntryPath: Codable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do {
      self.init(try container.decode(String.self))
    } catch DecodingError.typeMismatch {
      self.init(bytes: try container.decode([UInt8].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let text = String(validating: bytes, as: UTF8.self) {
      try container.encode(text)
    } else {
      try container.encode(bytes)
    }
  }
}
