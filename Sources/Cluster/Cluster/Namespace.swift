import Foundation

/// A part of the keys of a cluster.
///
/// ```
///   fleet/settings            the value "settings" of the namespace "fleet"
///   fleet/flags/dark          the key "dark" of the suite "flags"
///   fleet/~eu/settings        the value "settings" of the child "eu"
///   fleet/~!session/…         markers of changes
/// ```
///
/// All keys of a namespace and of its children begin with its prefix, so that one permission is enough. The children
/// come after everything that the namespace itself follows.
struct Namespace: Sendable, Hashable {
  /// The beginning of all keys, such as `fleet/`.
  let path: String

  /// The name for people, such as `fleet`.
  let name: String

  /// Creates a namespace at the top.
  init(_ name: String) throws(ClusterError) {
    guard !name.utf8.isEmpty else { throw .invalidNamespace(name, reason: "it is empty") }
    path = KeyName.encoded(name) + "/"
    self.name = name
  }

  private init(path: String, name: String) {
    (self.path, self.name) = (path, name)
  }

  /// Returns a namespace inside this one.
  func child(_ child: String) -> Namespace {
    Namespace(path: path + "~" + KeyName.encoded(child) + "/", name: "\(name)/\(child)")
  }

  /// The first key that is followed.
  var prefix: Data { Data(path.utf8) }

  /// The end of the followed range, after which the keys of children begin.
  var end: Data { Data((path + "~").utf8) }

  /// The key of a value.
  func key(_ key: String) -> Data { Data((path + KeyName.encoded(key)).utf8) }

  /// The beginning of the keys of a suite.
  func suite(_ name: String) -> Data { Data((path + KeyName.encoded(name) + "/").utf8) }

  /// The beginning of the keys of a presence or an election.
  func members(of kind: String, _ name: String) -> Data {
    Data((path + "!\(kind)/" + KeyName.encoded(name) + "/").utf8)
  }

  /// The first key after all keys with a beginning.
  static func end(of prefix: Data) -> Data {
    var end = prefix
    while let last = end.popLast() {
      if last < 0xFF { return end + [last + 1] }
    }
    return Data([0])
  }
}

/// The encoding of names as parts of keys.
///
/// Letters, digits, `-`, `_` and `.` are kept. Every other byte becomes `%` and two hexadecimal digits. An encoded name
/// therefore never contains `/`, `~` or `!`, which separate the parts of a key, and different names stay different.
enum KeyName {
  /// Returns a name as a part of a key.
  static func encoded(_ name: String) -> String {
    // A name without bytes needs an encoding that no other name has.
    guard !name.utf8.isEmpty else { return "%" }
    var text: [UInt8] = []
    for byte in name.utf8 {
      if isPlain(byte) {
        text.append(byte)
      } else {
        text.append(UInt8(ascii: "%"))
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the name that a part of a key encodes, or `nil` if it encodes none.
  static func decoded(_ part: some Collection<UInt8>) -> String? {
    if part.elementsEqual([UInt8(ascii: "%")]) { return "" }
    var bytes: [UInt8] = []
    var rest = part[...]
    while let first = rest.popFirst() {
      if isPlain(first) {
        bytes.append(first)
      } else if first == UInt8(ascii: "%"), let high = rest.popFirst().flatMap(digits.firstIndex),
        let low = rest.popFirst().flatMap(digits.firstIndex)
      {
        bytes.append(UInt8(high << 4 | low))
      } else {
        return nil
      }
    }
    guard !bytes.isEmpty, let name = String(validating: bytes, as: UTF8.self) else { return nil }
    // Only one part encodes each name.
    return encoded(name).utf8.elementsEqual(part) ? name : nil
  }

  private static let digits = Array("0123456789abcdef".utf8)

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}
