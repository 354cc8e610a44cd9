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
