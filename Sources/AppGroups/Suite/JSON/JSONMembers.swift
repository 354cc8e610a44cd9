package import Foundation

/// Takes a JSON object apart into its members, none of whose values is decoded, and puts one together of members.
package enum JSONMembers {
  /// The texts of an object's values, by name; of two with one name the last.
  ///
  /// - Throws: An error with words if the text is no object.
  package static func split(_ text: Data) throws -> [String: Data] {
    var members: [String: Data] = [:]
    for case .new(let name, let text) in try JSONScanner.members(of: text) { members[name] = text }
    return members
  }

  /// The text of an object.
  package static func join(_ members: [String: Data]) -> Data {
    let lines = members.sorted { $0.key < $1.key }.map { JSONScanner.quoted($0.key) + Data(":".utf8) + $0.value }
    return Data("{".utf8) + lines.joined(separator: Data(",".utf8)) + Data("}".utf8)
  }
}
