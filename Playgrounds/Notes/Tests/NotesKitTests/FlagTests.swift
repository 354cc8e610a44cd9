import Foundation
import NotesKit
import SignalsKit
import SignalsTesting
import Testing

/// The accessor that the plugin `TweakAccessors` generates from `Notes.tweaks.json` while this package is built.
@Suite("Flags")
struct FlagTests {
  private static let file = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/NotesKit/Notes.tweaks.json")

  @Test func `a target with the plugin has an accessor with the names, types and values of its file`() throws {
    let manager = TweakManager(
      providers: [EphemeralTweakProvider(), try FileTweakProvider(url: Self.file, isLive: false)])
    let flags = NotesFlags(with: manager)
    let values: (Int, Bool, String) = (flags.maximumLength, flags.allowsPinning, flags.banner)
    #expect(values == (500, true, ""))
    let lengths = flags.$maximumLength.recorded()
    flags.maximumLength = 10
    try manager.reset(NotesFlags.Keys.maximumLength)
    #expect(lengths.elements == [500, 10, 500])
    // Every tweak of the file has a constant, and its value there is the default where no provider has one.
    let keys = [NotesFlags.Keys.maximumLength.id, NotesFlags.Keys.allowsPinning.id, NotesFlags.Keys.banner.id]
    #expect(Set(keys) == manager.table.value.ids)
    #expect(NotesFlags(with: TweakManager(providers: [])).maximumLength == 500)
  }
}
