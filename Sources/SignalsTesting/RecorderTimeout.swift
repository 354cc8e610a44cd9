/// What was waited for and did not come.
public struct RecorderTimeout: Error, CustomStringConvertible {
  /// Which wait it was, and what had come until then.
  public let description: String

  init<Element>(waitingFor purpose: String, elements: [Element]) {
    let last = elements.suffix(5).map { String("\($0)".prefix(200)) }
    description = "Waited in vain for \(purpose); \(elements.count) came, the last \(last)"
  }
}
