import StrictJSON

/// Tweaks by name, in the order in which they were added.
struct OrderedTweaks: Sendable {
  private(set) var tweaks: [Tweak] = []
  private var names = NameTable()

  /// Returns the tweak of a name.
  subscript(_ feature: String, _ variable: String) -> Tweak? {
    place(of: feature, variable).map { tweaks[$0] }
  }

  /// Returns the index of the tweak of a name.
  func place(of feature: String, _ variable: String) -> Int? {
    names.place(ofHash: NameHash.hash(feature, variable)) {
      tweaks[$0].variable == variable && tweaks[$0].feature == feature
    }
  }

  /// Adds a tweak whose name is not yet in the table.
  mutating func append(_ tweak: Tweak) {
    names.append(hash: NameHash.hash(tweak.feature, tweak.variable))
    tweaks.append(tweak)
  }

  /// The names.
  var ids: Set<TweakID> { Set(tweaks.lazy.map(\.id)) }

  /// Returns the names of the tweaks that differ between two tables.
  func difference(from old: OrderedTweaks) -> Set<TweakID> {
    var changed: Set<TweakID> = []
    var kept = 0
    for (place, tweak) in tweaks.enumerated() {
      // Successive tables nearly always have the same order and the same tweaks, so the rest is rarely needed.
      if place < old.tweaks.count, old.tweaks[place].contents === tweak.contents {
        kept += 1
        continue
      }
      let isSame = place < old.tweaks.count && old.tweaks[place].hasName(of: tweak)
      let other = isSame ? old.tweaks[place] : old[tweak.feature, tweak.variable]
      if other != nil { kept += 1 }
      if other != tweak { changed.insert(tweak.id) }
    }
    guard kept < old.tweaks.count else { return changed }
    for tweak in old.tweaks where self[tweak.feature, tweak.variable] == nil { changed.insert(tweak.id) }
    return changed
  }
}

extension OrderedTweaks: Equatable {
  /// Compares the tweaks and their order.
  static func == (first: OrderedTweaks, second: OrderedTweaks) -> Bool { first.tweaks == second.tweaks }
}

extension Tweak {
  fileprivate func hasName(of other: Tweak) -> Bool { variable == other.variable && feature == other.feature }
}
