import CLibrary
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing
import Tweaks

/// A directory that is mounted as Kubernetes mounts a ConfigMap.
///
/// The files are links to `..data/<name>`, and `..data` is a link to a directory with a new name for each version.
private struct ConfigMap {
  let directory: TemporaryDirectory
  private let number = MutableProperty(0)

  init(_ value: Int) throws {
    directory = try TemporaryDirectory()
    try swap(to: value)
    try FileManager.default.createSymbolicLink(
      atPath: directory.file("tweaks.json").path, withDestinationPath: "..data/tweaks.json")
  }

  /// Replaces the contents as the kubelet does: a new directory, a new link, and one rename.
  func swap(to value: Int) throws {
    let old = number.value
    number.value += 1
    let name = "..2026_\(number.value)"
    let folder = try directory.makeFolder(name)
    let text = #"{"f": {"v": {"Value": \#(value)}, "w": {"Value": \#(value)}}}"#
    try Data(text.utf8).write(to: folder.appending(path: "tweaks.json"))
    let link = directory.file("..data_tmp").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: name)
    guard rename(link, directory.file("..data").path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    if old > 0 { try FileManager.default.removeItem(at: directory.file("..2026_\(old)")) }
  }
}

@Suite("Tweaks in a ConfigMap")
struct ConfigMapTests {
  @Test(.patient)
  func `each snapshot is whole while the contents are swapped 1,000 times, and the last ones arrive`() async throws {
    let map = try ConfigMap(0)
    let provider = try FileTweakProvider(url: map.directory.file("tweaks.json"))
    let manager = TweakManager(providers: [provider])
    // The first snapshot looks the tweaks up one after another.
    _ = manager.snapshot()
    let isOver = MutableProperty(false)
    let values = manager.signal(for: TweakKey("f", "v", default: -1)).recorded()
    let torn = MutableProperty(0)
    let reader = Task.detached {
      while !isOver.value {
        let snapshot = manager.snapshot()
        if snapshot.tweaks[TweakID(feature: "f", variable: "v")]?.value
          != snapshot.tweaks[TweakID(feature: "f", variable: "w")]?.value
        {
          torn.modify { $0 += 1 }
        }
        await Task.yield()
      }
    }
    let count = Scale.count(1_000, torture: 10_000)
    try await onThread { for number in 1...count { try map.swap(to: number) } }
    _ = try await values.wait(for: "the last contents") { $0.last == count }
    isOver.value = true
    await reader.value
    #expect(torn.value == 0)
    #expect(values.elements == values.elements.sorted())
  }
}
