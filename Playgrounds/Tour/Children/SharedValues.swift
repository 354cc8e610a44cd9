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

/// A picture of one color, large enough to be caught half written.
struct Picture: Codable, Sendable {
  /// A megabyte of equal bytes, unless something is wrong.
  let pixels: Data

  init(color: UInt8) {
    pixels = Data(repeating: color, count: Self.size)
  }

  private init(pixels: Data) {
    self.pixels = pixels
  }

  private static let size = 1_000_000

  /// Whether all of it was written by one writer in one go.
  var isWhole: Bool {
    pixels.count == Self.size && pixels.dropFirst() == pixels.dropLast()
  }

  /// A picture of another color.
  var next: Picture {
    Picture(color: (pixels.first ?? 0) &+ 1)
  }

  /// Stored as it is, without JSON around it, so that a writer spends its time on writing, and a torn file would be
  /// seen.
  private static let format = FileFormat<Picture>(encode: \.pixels, decode: Picture.init(pixels:))

  static func file(in container: AppGroupsContainer) throws -> AppGroupsFile<Picture> {
    try AppGroupsFile(name: "picture.raw", initialValue: Picture(color: 0), container: container, format: format)
  }
}

/// A setting that people edit by hand.
struct Theme: Codable, Sendable {
  var name = "plain"

  static func file(in container: AppGroupsContainer) throws -> AppGroupsFile<Theme> {
    try AppGroupsFile(name: "theme.json", initialValue: Theme(), container: container)
  }
}

/// What is set for a shop: as delivered, unless somebody sets something else.
enum Flags {
  static let discount = TweakKey("shop", "discount", default: 0)
  static let isOpen = TweakKey("shop", "isOpen", default: false)

  static func manager(in container: AppGroupsContainer) throws -> TweakManager {
    TweakManager(providers: [
      SuiteTweakProvider(suite: try AppGroupsSuite(name: "flags", container: container)),
      EphemeralTweakProvider(["shop": ["discount": 0, "isOpen": true]], name: "Delivered"),
    ])
  }
}

/// What each environment says of itself.
enum Greeting {
  static func file(in app: AppContainer) throws -> AppGroupsFile<String> {
    try AppGroupsFile(name: "greeting.json", initialValue: "nothing", scope: app.scope)
  }
}
