package import Foundation
import StrictJSON

/// Splits a JSON object into its members without decoding their values, and joins members to an object.
package enum JSONMembers {
  /// A member of an object.
  enum Member {
    /// A known member, given by its index.
    case known(Int)
    case new(name: String, text: Data)
  }

  /// Reads the members of a JSON object in order, with the text of each value.
  ///
  /// - Parameters:
  ///   - text: The JSON text.
  ///   - known: The members that the text is likely to contain, in about this order, each with name and value. They are
  ///     recognized by their bytes, and not read.
  /// - Returns: The members.
  /// - Throws: ``TextProblem``.
  static func read(_ text: Data, known: [Data] = []) throws(TextProblem) -> [Member] {
    try JSONReader.read(text) { reader throws(TextProblem) in
      guard reader.peek == JSONByte.openingBrace else { throw reader.problem("expected an object") }
      var members: [Member] = []
      var value: [UInt8] = []
      var next = 0
      var hasMore = try reader.enter(JSONByte.closingBrace)
      while hasMore {
        if let index = reader.skip(known, from: next) {
          next = index + 1
          members.append(.known(index))
        } else {
          let name = try reader.name()
          value.removeAll(keepingCapacity: true)
          try reader.layOut(into: &value)
          members.append(.new(name: name, text: Data(value)))
        }
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
    for case .new(let name, let text) in try read(text) { members[name] = text }
    return members
  }

  /// Returns the text of an object.
  package static func join(_ members: [String: Data]) -> Data {
    let lines = members.sorted { $0.key < $1.key }.map { JSONText.quoted($0.key) + Data(":".utf8) + $0.value }
    return Data("{".utf8) + lines.joined(separator: Data(",".utf8)) + Data("}".utf8)
  }
}

extension JSONReader {
  /// Skips the next known member, or the one after it if the next one was changed or removed, and returns its index.
  fileprivate mutating func skip(_ known: [Data], from next: Int) -> Int? {
    for index in next..<min(next + 2, known.count) where skip(known[index]) { return index }
    return nil
  }

  /// Skips a member if its bytes are the next ones.
  private mutating func skip(_ known: Data) -> Bool {
    let end = index + known.count
    // A number might continue after these bytes.
    guard end < bytes.count, bytes[end] == JSONByte.comma || bytes[end] == JSONByte.lineFeed else { return false }
    let here = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[index..<end])
    guard let address = here.baseAddress,
      known.withUnsafeBytes({ $0.baseAddress.map { memcmp($0, address, here.count) } }) == 0
    else { return false }
    skip(to: end)
    return true
  }
}
