public import Foundation

/// An error in suspending or resuming the work of a process in a directory.
public enum SuspensionError: Error, Hashable, Sendable {
  /// The call came from inside an operation in the directory, and would wait for it.
  case nested(URL)

  /// Work under way in the directory has not ended in time, and still holds locks of the `files`.
  ///
  /// New work is refused all the same, and each of the locks is released when its work ends.
  case stillBusy(URL, files: [String], after: Duration)

  /// Some objects could not continue, for the given reasons; all others continue.
  case notResumed(URL, reasons: [String])
}

extension SuspensionError: CustomStringConvertible, LocalizedError {
  /// A description of the operation, the directory, the cause and the remedy.
  public var description: String {
    switch self {
    case .nested(let url):
      "Can't suspend \(url.path) inside an update, a transaction or a lock of a file in it. Suspend it after that "
        + "operation has returned."
    case .stillBusy(let url, let files, let limit):
      "Could not suspend \(url.path) within \(limit): work under way still uses \(files.joined(separator: ", ")). New "
        + "work is refused. Let that work end, and suspend again to wait for it."
    case .notResumed(let url, let reasons):
      "Resumed \(url.path), except for: \(reasons.joined(separator: " ")) Remove the cause, and resume again."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
