/// Something the toolkit promises, and what the tour saw of it.
struct Promise: Sendable {
  let text: String
  let isKept: Bool
  let seen: String

  init(_ text: String, isKept: Bool, seen: String) {
    self.text = text
    self.isKept = isKept
    self.seen = seen
  }

  /// The promise that a scene comes to an end, which it did not.
  init(brokenBy error: any Error, in scene: some Scene) {
    self.init(scene.title, isKept: false, seen: "\(error)")
  }
}
