/// The error of a wait that timed out.
public struct RecorderTimeout: Error, CustomStringConvertible {
  /// A description of the wait and of the last recorded elements.
  public let description: String

  init<Element>(waitingFor purpose: String, elements: [Element]) {
    let last = elements.suffix(5).map { String("\($0)".prefix(200)) }
    description = "Timed out waiting for \(purpose). Elements recorded: \(elements.count). Last: \(last)"
  }
}
