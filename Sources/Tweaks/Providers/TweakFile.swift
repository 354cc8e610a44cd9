import TweakFormat

/// The decoded content of a file of tweaks.
struct TweakFile: Sendable, Equatable {
  var tweaks = OrderedTweaks()

  /// The features in the file, including those without a variable.
  var features: Set<String> = []

  /// Returns the names of the tweaks that differ between two files.
  func difference(from old: TweakFile) -> Set<TweakID> {
    var changed = tweaks.difference(from: old.tweaks)
    if features == old.features { return changed }
    for feature in features.symmetricDifference(old.features) {
      changed.insert(TweakID(feature: feature, variable: Tweak.enabledVariable))
    }
    return changed
  }
}

/// Shared files require codable values.
///
/// The file has a format of its own, and is never written.
extension TweakFile: Codable {
  init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      DecodingError.Context(codingPath: decoder.codingPath, debugDescription: Self.reason)
    )
  }

  func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      self, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: Self.reason)
    )
  }

  private static let reason = "a tweak file has its own format, which does not use Codable"
}

extension TweakValue {
  init(_ value: TweakDocument.Value) {
    self =
      switch value {
      case .bool(let value): .bool(value)
      case .int(let value): .int(value)
      case .double(let value): .double(value)
      case .string(let value): .string(value)
      }
  }
}
