import FileSignals
package import Foundation
public import Signals

extension AppGroupsContainer {
  /// The failures of everything in the container: files, suites, logs, presence, databases, sessions and flags.
  ///
  /// Each report says what it concerns. Subscribers receive the failures of all objects of this process, whichever
  /// value of this type they were opened with, beginning with the last few. See `FailureReport`.
  ///
  /// ```swift
  /// import AppGroups
  /// import Foundation
  /// import Signals
  ///
  /// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  /// let container = try AppGroupsContainer(directory: directory)
  /// let failures = container.failures.sink { print($0.source, "failed, and nothing was thrown") }
  /// let suite = try AppGroupsSuite(name: "settings.json", container: container)
  /// try suite.set("loud", forKey: "volume")
  /// let volume = suite.preference("volume", default: 5)
  /// // Prints "AppGroupsSuite failed, and nothing was thrown"
  /// print(volume.value)  // Prints "5"
  /// failures.cancel()
  /// try FileManager.default.removeItem(at: directory)
  /// ```
  public var failures: some Signal<FailureReport, Never> { FailureReport.inside([containerURL, cachesURL]) }
}

extension Scope {
  /// The failures of everything in the root: files, suites, logs, databases, sessions and flags.
  ///
  /// Each report says what it concerns. A subscriber first receives the last few. See `FailureReport`.
  public var failures: some Signal<FailureReport, Never> { FailureReport.inside([root]) }
}

extension FailureReport {
  /// Returns a signal of the failures of everything in some directories.
  package static func inside(_ directories: [URL]) -> some Signal<FailureReport, Never> {
    let paths = Set(directories.flatMap { [$0.path, $0.resolvingSymlinksInPath().path] })
    return FailureLog.shared.reports { $0.isInside(paths) }
  }

  private func isInside(_ directories: Set<String>) -> Bool {
    let isInside = { (path: String) in directories.contains { path == $0 || path.isPath(below: $0) } }
    if isInside(subject) { return true }
    // The object may have been opened through a symbolic link.
    return subject.begins(with: "/") && isInside(URL(filePath: subject).resolvingSymlinksInPath().path)
  }
}
