import CLibrary
import Foundation
import Synchronization

/// The marks that distinguish a process from others that had, or will have, the same identifier.
package struct ProcessInstance: Codable, Hashable, Sendable {
  /// The boot of the system, and the namespace of the identifier; empty if the system does not name them.
  package let system: String

  /// The time at which the process began, as the system counts it; empty if it is unknown.
  package let start: String

  /// The marks of this process.
  package static var current: ProcessInstance {
    ProcessInstance(system: currentSystem, start: start(of: getpid()) ?? "")
  }

  /// Returns a Boolean value that indicates whether the process with these marks exists.
  ///
  /// A process of another system, such as one in another container, counts as ended, because its end cannot be observed.
  package func isRunning(as process: Int32) -> Bool {
    guard process > 0, system == Self.currentSystem, kill(process, 0) == 0 || errno == EPERM else { return false }
    return start.isEmpty || Self.start(of: process) == start
  }

  #if os(Linux) || os(Android)
    /// The identifier of the present start of the system, or `nil` if the system does not name it.
    package static let boot: String? = text(of: "/proc/sys/kernel/random/boot_id")

    private static let currentSystem: String = {
      let space = FileStatus.ifReadable(path: "/proc/self/ns/pid").map { String($0.identity.inode) } ?? ""
      return "\(boot ?? "") \(space)"
    }()

    /// Returns the start of a process in ticks since the boot, which is the 22nd field of its state.
    private static func start(of process: Int32) -> String? {
      // The second field is a name in parentheses, which may contain spaces and parentheses.
      guard let text = text(of: "/proc/\(process)/stat"), let end = text.lastIndex(of: ")") else { return nil }
      let fields = text[text.index(after: end)...].split(separator: " ")
      // The first of these fields is the state; a zombie has ended.
      return fields.count > 19 && fields[0] != "Z" && fields[0] != "X" ? String(fields[19]) : nil
    }

    /// Returns the time at which a process began, or `nil` if it is unknown.
    static func startDate(of process: Int32) -> Date? {
      let ticks = sysconf(Int32(_SC_CLK_TCK))
      guard ticks > 0, let start = start(of: process).flatMap({ Double($0) }) else { return nil }
      var uptime = timespec()
      guard clock_gettime(CLOCK_BOOTTIME, &uptime) == 0 else { return nil }
      return Date(timeIntervalSinceNow: start / Double(ticks) - Double(uptime.tv_sec) - Double(uptime.tv_nsec) * 1e-9)
    }

    private static func text(of path: String) -> String? {
      tolerating(else: nil) {
        String(decoding: try DurableFile.read(URL(filePath: path)), as: UTF8.self)
          .trimmingCharacters(in: .whitespacesAndNewlines)
      }
    }
  #else
    /// The system does not name its present start.
    package static let boot: String? = nil

    private static let currentSystem = ""

    private static func start(of process: Int32) -> String? { nil }

    /// Returns the time at which a process began, or `nil` if it is unknown.
    static func startDate(of process: Int32) -> Date? { nil }
  #endif
}

/// A count that tells a process from the one that it was forked from.
///
/// Reading it costs less than `getpid()`, which is a system call. A child of `vfork` or of a system call that bypasses
/// the C library is not counted.
package enum Forks {
  private static let counter = Atomic(0)

  private static let isCounting: Bool = {
    // The counter exists before a child needs it, which must not wait for a thread of its parent.
    _ = counter.load(ordering: .relaxed)
    return pthread_atfork(nil, nil) { counter.add(1, ordering: .relaxed) } == 0
  }()

  /// A number that changes when the process is forked after it was read.
  ///
  /// It is the process identifier if forks cannot be counted.
  package static var count: Int { isCounting ? counter.load(ordering: .relaxed) : Int(getpid()) }
}
