package import Foundation
import Signals
import Synchronization

/// The rules for the locks of this process in some directories: whether locks are refused, and how long to wait.
///
/// While there are no rules, a lock costs one check of a flag more.
package final class DirectoryRules: Sendable {
  package static let shared = DirectoryRules()

  /// The progress of a suspension.
  package enum Phase: Int, Sendable, Comparable {
    /// All locks are allowed.
    case open

    /// Work under way is finished, and no lock may be acquired that is held for longer than one operation.
    case preparing

    /// All locks are refused, except inside an operation that already holds one.
    case suspended

    package static func < (first: Phase, second: Phase) -> Bool { first.rawValue < second.rawValue }
  }

  /// The rule for a directory and everything in it.
  package struct Rule: Sendable {
    package fileprivate(set) var phase = Phase.open
    /// The longest wait for a lock; `nil` to wait as long as it takes.
    package fileprivate(set) var limit: Duration?

    fileprivate var isDefault: Bool { phase == .open && limit == nil }
  }

  private static let anySet = Atomic(false)

  /// A Boolean value that indicates whether there are any rules.
  @inline(__always)
  private static var areSet: Bool { anySet.load(ordering: .relaxed) }

  /// The same as ``areSet``, ordered after all earlier stores of this thread.
  ///
  /// A thread that stores that it holds a lock, and then finds no rules, is found by the thread that sets a rule.
  @inline(__always)
  static var areSetNow: Bool { anySet.load(ordering: .sequentiallyConsistent) }

  private let rules = Guarded<[String: Rule]>([:])

  /// Changes the phase of a directory, whose path is free of symbolic links.
  func setPhase(_ phase: Phase, of directory: String) { change(directory) { $0.phase = phase } }

  /// Changes the longest wait for locks in a directory, whose path is free of symbolic links.
  package func setLimit(_ limit: Duration?, of directory: String) { change(directory) { $0.limit = limit } }

  private func change(_ directory: String, _ body: (inout Rule) -> Void) {
    rules.withLock { rules in
      var rule = rules[directory] ?? Rule()
      body(&rule)
      rules[directory] = rule.isDefault ? nil : rule
      Self.anySet.store(!rules.isEmpty, ordering: .sequentiallyConsistent)
    }
  }

  /// Returns the rule of a directory itself.
  package func rule(of directory: String) -> Rule { rules.withLock { $0[directory] } ?? Rule() }

  /// Returns the rule for a file: the latest phase of all directories around it, and the limit of the innermost.
  package func rule(for file: URL) -> Rule {
    let rules = rules.withLock { $0 }
    if rules.isEmpty { return Rule() }
    let paths = DirectoryPaths(of: file)
    var result = Rule()
    for (directory, rule) in rules.sorted(by: { $0.key.utf8.count < $1.key.utf8.count }) where paths.areIn(directory) {
      result.phase = max(result.phase, rule.phase)
      result.limit = rule.limit ?? result.limit
    }
    return result
  }

  /// Returns the longest time to wait for the lock of a file, or `nil` if there is no limit.
  package static func limit(for file: URL) -> Duration? {
    areSet ? shared.rule(for: file).limit : nil
  }

  /// The longest time for which an operation starts again because other programs get in its way, unless the directory
  /// has a limit for locks.
  package static let defaultPatience = Duration.seconds(10)

  /// Returns the longest time for which an operation on a file starts again because other programs get in its way.
  ///
  /// It is the limit of the directory for locks, or ten seconds. A number of attempts would be too small on a busy
  /// machine, and too large for a program that must not wait.
  package static func patience(for file: URL) -> Duration { limit(for: file) ?? defaultPatience }

  /// Returns the longest time to wait for a name that another object has, such as that of a consumer or of an author.
  ///
  /// It is the limit of the directory for locks, or half a second, in which an object that is about to end may end.
  package static func nameLimit(for file: URL) -> Duration { limit(for: file) ?? .milliseconds(500) }

  /// Returns the phase for a file.
  package static func phase(for file: URL) -> Phase {
    // Ordered after the registration of the caller; see ``Suspensions/add(_:at:)``.
    areSetNow ? shared.rule(for: file).phase : .open
  }

  /// Throws an error if this process is suspended in the directory of a file.
  ///
  /// Inside an operation that already holds a lock in the same directory, the call succeeds, so that the operation can
  /// finish.
  package static func checkOpen(_ file: URL) throws(DurableFileError) {
    if areSetNow { try shared.check(file, except: nil) }
  }

  /// Throws an error if this process is suspended in the directory of a file, whose lock it has just acquired.
  static func checkOpen(_ file: URL, except claim: ThreadLocks.Claim) throws(DurableFileError) {
    if areSetNow { try shared.check(file, except: claim) }
  }

  private func check(_ file: URL, except claim: ThreadLocks.Claim?) throws(DurableFileError) {
    let suspended = rules.withLock { $0.filter { $0.value.phase == .suspended }.map(\.key) }
    if suspended.isEmpty { return }
    let paths = DirectoryPaths(of: file)
    for directory in suspended where paths.areIn(directory) {
      if !ThreadLocks.shared.isHeldByThisThread(in: directory, except: claim) { throw .suspended(file) }
    }
  }
}

/// The path of a file as it is written and, if that is another one, without symbolic links.
struct DirectoryPaths {
  private let path: String

  init(of file: URL) {
    path = file.path
  }

  private var resolved: String? { canonicalPath(ofFile: path) }

  /// Returns a Boolean value that indicates whether the file is a directory or in it.
  func areIn(_ directory: String) -> Bool {
    isIn(path, directory) || resolved.map { isIn($0, directory) } ?? false
  }

  private func isIn(_ path: String, _ directory: String) -> Bool {
    path.utf8.elementsEqual(directory.utf8) || path.isPath(below: directory)
  }
}
