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
    letters = String(repeating: Character(Unicode.Scalar(Self.letter(of: generation))), count: 300_000)
  }

  /// Whether all of it was written by one writer in one go.
  var isWhole: Bool {
    letters == Document(generation: generation).letters
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
