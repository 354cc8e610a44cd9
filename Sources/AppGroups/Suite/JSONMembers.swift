package import Foundation
import StrictJSON

/// Splits a JSON object into its members without decoding their values, and joins members to an object.
package enum JSONMembers {
  /// Reads the members of a JSON object in order, with the text of each value.
  ///
  /// - Throws: ``TextProblem``.
  static func read(_ text: Data) throws(TextProblem) -> [(name: String, text: Data)] {
    try JSONReader.read(text) { reader throws(TextProblem) in
      guard reader.peek == JSONByte.openingBrace else { throw reader.problem("expected an object") }
      var members: [(name: String, text: Data)] = []
      var value: [UInt8] = []
      var hasMore = try reader.enter(JSONByte.closingBrace)
      while hasMore {
        let name = try reader.name()
        value.removeAll(keepingCapacity: true)
        try reader.layOut(into: &value)
        members.append((name, Data(value)))
        hasMore = try reader.goOn(to: JSONByte.closingBrace)
      }
      return members
    }
  }

  /// Returns the texts of an object's values by name.
  ///
  /// If a name occurs twice, the last value counts.
  ///
  /// - Throws: An error with a description if the text is not an object.
  package static func split(_ text: Data) throws -> [String: Data] {
    var members: [String: Data] = [:]
    for (name, text) in try read(text) { members[name] = text }
    return members
  }

  /// Returns the text of an object.
  package static func join(_ members: [String: Data]) -> Data {
    let lines = members.sorted { $0.key < $1.key }.map { JSONText.quoted($0.key) + Data(":".utf8) + $0.value }
    return Data("{".utf8) + lines.joined(separator: Data(",".utf8)) + Data("}".utf8)
  }
}
