import Signals

extension Database: CustomStringConvertible {
  /// The path and the status, such as `Database(/tmp/list.sqlite, open)`.
  public var description: String {
    let state =
      switch status.value {
      case .open: file.access == .readWrite ? "open" : "open for reading only"
      case .closed(let reason): "closed: \(reason)"
      }
    return "Database(\(location.path), \(state))"
  }
}
