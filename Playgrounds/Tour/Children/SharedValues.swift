import Foundation
import SignalsKit

/// A message from one process to others.
struct Message: Codable, Sendable {
  var number = 0

  /// When it was sent, in nanoseconds of the machine's clock.
  var sentAt: Int64 = 0

  static func file(in container: AppGroupsContainer) throws -> AppGroupsFile<Message> {
    try AppGroupsFile(name: "message.json", initialValue: Message(), container: container)
  }
}

/// A document that is large enough to be caught half written.
struct Document: Codable, Sendable {
  let generation: Int
  let letters: String

  init(generation: Int) {
    self.generation = generation
    letters = String(repeating: Character(Unicode.Scalar(Self.letter(of: generation))), count: Self.size)
  }

  private static let size = 300_000

  /// Whether all of it was written by one writer in one go.
  var isWhole: Bool {
    letters == Document(generation: generation).letters
  }

  /// Whether a file's content is that of a whole document.
  ///
  /// All its letters must be there, between quotation marks, and the end after them. This takes as long as comparing memory
  /// does; decoding takes hundreds of times longer.
  static func isWhole(_ content: Data) -> Bool {
    let quote = UInt8(ascii: "\"")
    guard let end = content.suffix(10).lastIndex(of: quote), content[end...].contains(UInt8(ascii: "}")) else {
      return false
    }
    let letters = content[..<end].suffix(size)
    return content[..<letters.startIndex].last == quote && letters.dropFirst() == letters.dropLast()
  }

  private static func letter(of generation: Int) -> UInt8 {
    UInt8(ascii: "a") + UInt8(generation % 26)
  }

  static func file(in container: AppGroupsContainer) throws -> AppGroupsFile<Document> {
    try AppGroupsFile(name: "document.json", initialValue: Document(generation: 0), container: container)
  }
}

/// A setting that people edit by hand.
struct Theme: Codable, Sendable {
  var name = "plain"

  static func file(in container: AppGroupsContainer) throws -> AppGroupsFile<Theme> {
    try AppGroupsFile(name: "theme.json", initialValue: Theme(), container: container)
  }
}
