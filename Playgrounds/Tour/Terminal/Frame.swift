/// What the line that changes shows for a moment.
struct Frame: Sendable {
  private(set) var text = ""

  /// Whether it is to be drawn, since eyes do not follow more than some 25 frames a second; an empty line always is.
  private(set) var isDue = true

  private var drawnAt: Int64 = 0

  /// The frame that shows another text.
  func followed(by text: String, at time: Int64) -> Frame {
    var next = self
    next.text = text
    next.isDue = text.isEmpty || time - drawnAt > 40_000_000
    if next.isDue { next.drawnAt = time }
    return next
  }
}
