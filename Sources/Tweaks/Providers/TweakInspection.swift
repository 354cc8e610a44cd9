package import Foundation
package import Signals

/// Reads the tweaks in files, without following or creating them.
package enum TweakInspection {
  /// Returns the tweaks of a file in JustTweak's format, or `nil` if the content is in another format.
  ///
  /// - Parameters:
  ///   - content: The content of the file.
  ///   - source: The name of the provider.
  /// - Returns: The tweaks, in the order of the file.
  package static func tweaks(inFile content: Data, source: String) -> [Tweak]? {
    do {
      let tweaks = try TweakFileReader(source: source).read(content).tweaks.tweaks
      return tweaks.isEmpty ? nil : tweaks
    } catch {
      return nil
    }
  }

  /// Returns the name of the tweak that a key of a suite represents, or `nil` if it represents another value.
  package static func id(ofKey key: String) -> TweakID? { TweakName.id(of: key) }

  /// The key of a suite that holds the latest time that any process has seen.
  package static var clockKey: String { SuiteTweakProvider.clockKey }

  /// The member of an override that holds its end.
  package static var endKey: String { StoredOverride.endKey }

  /// Returns the key of a suite that represents a tweak.
  package static func key(of id: TweakID) -> String { TweakName.text(of: id) }
}

/// A provider of tweaks that were read once.
package final class ReadTweakProvider: TweakProvider {
  package let name: String
  package let table: Property<TweakTable>

  /// Creates a provider.
  ///
  /// - Parameters:
  ///   - tweaks: The tweaks; if several have one name, the last one counts.
  ///   - name: The name of the provider.
  package init(_ tweaks: [Tweak], name: String) {
    self.name = name
    table = .constant(TweakTable(tweaks))
  }
}
