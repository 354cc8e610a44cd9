import CLibrary
public import Foundation
import Signals

/// The process that made a version of a value, with the time and the cause.
///
/// ```swift
/// import AppGroups
/// import FileSignals
/// import Foundation
///
/// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// let container = try AppGroupsContainer(directory: directory)
/// let list = try AppGroupsFile(name: "list.json", initialValue: ["tea"], container: container)
/// try Cause.withValue("import") {
///   try list.write(["tea", "bread"])
/// }
/// let provenance = list.provenance
/// print(provenance?.cause ?? "no cause", provenance?.processIdentifier == getpid())  // Prints "import true"
/// try FileManager.default.removeItem(at: directory)
/// ```
///
/// Each write of the package leaves a small record beside the lock of the file. The record names the content that it
/// belongs to, because the two are not one atomic step. If they do not match, the provenance is unknown: another
/// program made the version, or the version has been replaced meanwhile. A record says what the writer said of itself.
/// Whoever may write the file can write the record, too.
public struct Provenance: Hashable, Sendable {
  /// The identifier of the process.
  public let processIdentifier: Int32

  /// The name of the process, at most 40 bytes.
  public let processName: String

  /// The time at which the process began, which tells it from others with the same identifier; `nil` if it is unknown.
  ///
  /// It may differ by some hundredths of a second from what other programs show.
  public let processStart: Date?

  /// The reason that the process gave in ``Cause``, at most 80 bytes; `nil` if it gave none.
  public let cause: String?

  /// The time of the change by the clock of the machine that made it.
  public let date: Date

  package init(
    processIdentifier: Int32, processName: String, processStart: Date?, cause: String?, date: Date
  ) {
    self.processIdentifier = processIdentifier
    self.processName = Self.shortened(processName, to: Self.nameLimit)
    self.processStart = processStart
    self.cause = cause.map { Self.shortened($0, to: Self.causeLimit) }
    self.date = date
  }

  /// Returns the same maker with another time.
  func dated(_ date: Date) -> Provenance {
    Provenance(
      processIdentifier: processIdentifier, processName: processName, processStart: processStart, cause: cause,
      date: date)
  }

  package static let nameLimit = 40
  package static let causeLimit = 80

  /// Returns the beginning of a text that has at most a number of bytes.
  static func shortened(_ text: String, to limit: Int) -> String {
    guard text.utf8.count > limit else { return text }
    var end = text.utf8.index(text.startIndex, offsetBy: limit)
    while String.Index(end, within: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    return String(text[..<end])
  }

  /// Says who is to be noted as the maker of a version.
  package enum Note: Sendable {
    /// This process, now, with the cause of the current task.
    case current
    /// The maker of the same content, which is only stored in another way.
    case kept(Provenance)
    /// Nobody.
    case omitted

    /// Keeps the maker of a content, if it is known.
    package init(keeping provenance: Provenance?) { self = provenance.map { .kept($0) } ?? .omitted }
  }

  /// A change that this process makes now.
  package static var current: Provenance { current(for: Cause.current) }

  static func current(for cause: String?) -> Provenance {
    let forks = Forks.count
    let process = ownProcess.withLock { own -> Provenance in
      if let own, own.forks == forks { return own.process }
      let process = Provenance(
        processIdentifier: getpid(), processName: ProcessInfo.processInfo.processName,
        processStart: ProcessInstance.startDate(of: getpid()), cause: nil, date: Date())
      own = (forks, process)
      return process
    }
    return Provenance(
      processIdentifier: process.processIdentifier, processName: process.processName,
      processStart: process.processStart, cause: cause, date: Date())
  }

  /// This process, and the number of forks at which it was looked at.
  private static let ownProcess = Guarded<(forks: Int, process: Provenance)?>(nil)

  /// A Boolean value that indicates whether this process made the change.
  public var isThisProcess: Bool {
    let own = Self.current
    guard processIdentifier == own.processIdentifier else { return false }
    guard let start = processStart, let ownStart = own.processStart else { return true }
    // Dates are rounded when they are stored.
    return abs(start.timeIntervalSince(ownStart)) < 0.1
  }
}

extension Provenance: CustomStringConvertible {
  /// The name and identifier of the process, and the cause, such as `Widget (process 4711): import`.
  public var description: String {
    "\(processName) (process \(processIdentifier))\(cause.map { ": \($0)" } ?? "")"
  }
}

/// The reason for the changes that a closure or task makes, which readers in all processes find in their
/// ``Provenance``.
///
/// ```swift
/// import FileSignals
///
/// Cause.withValue("import") {
///   print(Cause.current ?? "none")  // Prints "import"
/// }
/// ```
///
/// Child tasks and the asynchronous methods of the package inherit it.
@frozen
public enum Cause: Sendable {
  private static let local = TaskLocal<String?>(wrappedValue: nil)

  /// The reason for the changes of the current task; `nil` if none was given.
  public static var current: String? { local.get() }

  /// Runs a closure whose changes have a reason.
  ///
  /// - Parameters:
  ///   - cause: The reason in a few words, of which at most 80 bytes are kept; `nil` for none.
  ///   - operation: The closure.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  @discardableResult
  public static func withValue<Result>(_ cause: String?, operation: () throws -> Result) rethrows -> Result {
    try local.withValue(cause, operation: operation)
  }

  /// Runs an asynchronous closure whose changes have a reason, also those of its child tasks.
  ///
  /// - Parameters:
  ///   - cause: The reason in a few words, of which at most 80 bytes are kept; `nil` for none.
  ///   - isolation: The actor that runs the closure; by default the caller's.
  ///   - operation: The closure.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  @discardableResult
  public static func withValue<Result>(
    _ cause: String?, isolation: isolated (any Actor)? = #isolation, operation: () async throws -> Result
  ) async rethrows -> Result {
    try await local.withValue(cause, operation: operation, isolation: isolation)
  }
}
