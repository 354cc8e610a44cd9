import Foundation

/// The parts of a tweak that say where its value comes from, which most tweaks do not have.
struct TweakOrigin: Sendable, Equatable {
  var rule: String?
  var variant: String?
  var reason: TweakReason?
  var metadata: [String: TweakValue] = [:]
  var expiration: Date?
  var structure: StructureSource?
}

/// A cache stores neither an expiration, which only overrides have, nor a place in a file.
extension TweakOrigin: Codable {
  private enum CodingKeys: String, CodingKey {
    case rule, variant, reason, metadata
  }
}
