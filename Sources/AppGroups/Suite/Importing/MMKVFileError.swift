public import FileSignals
public import Foundation

/// An error of adopting values from a file of MMKV; neither the file nor the suite has changed.
@nonexhaustive
public enum MMKVFileError: Error, Hashable, Sendable {
  /// One of the two files is missing, is too large, or cannot be read.
  case inaccessible(DurableFileError)

  /// The content is not the one that MMKV recorded, or MMKV did not write the file.
  case damaged(URL, reason: String)

  /// The values are encrypted.
  case encrypted(URL)
}

extension MMKVFileError: CustomStringConvertible, LocalizedError {
  /// A description of the failed operation, the file, the cause and the remedy.
  public var description: String {
    switch self {
    case .inaccessible(.exceedsLimit(let url, let size, let limit)):
      "Can't adopt values from \(url.path): its \(size) bytes exceed the limit of \(limit). Call trim() of MMKV, or open "
        + "the suite with a larger maximumSize."
    case .inaccessible(let error):
      "Can't adopt values from MMKV: \(error.description)"
    case .damaged(let url, let reason):
      "Can't adopt values from \(url.path): \(reason). Nothing was changed. If a process uses MMKV now, try again when it "
        + "is idle. Otherwise copy both files, and let MMKV recover the copy with a handler that returns "
        + "MMKVOnErrorRecover."
    case .encrypted(let url):
      "Can't adopt values from \(url.path): they are encrypted, or MMKV did not write them. Open the file with MMKV and "
        + "its key, call reset(cryptKey: nil), and adopt the values again."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
