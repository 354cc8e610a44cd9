/// A payload like a small settings file: the same bytes from every writer.
package struct Payload: Codable, Sendable, Equatable {
  package var count: Int
  package var name = "a name of some length"
  package var isEnabled = true

  package init(count: Int) {
    self.count = count
  }

  /// The JSON text, for a writer without an encoder.
  package static func bytes(count: Int) -> [UInt8] {
    Array(#"{"count":\#(count),"isEnabled":true,"name":"a name of some length"}"#.utf8)
  }

  /// The count in the JSON text, for a reader without a decoder.
  package static func count(in bytes: ArraySlice<UInt8>) -> Int {
    bytes.dropFirst(#"{"count":"#.utf8.count).prefix { $0 >= 48 && $0 <= 57 }.reduce(0) { $0 * 10 + Int($1 - 48) }
  }
}
