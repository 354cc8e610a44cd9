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
}
