#if os(Linux) || os(Android)
  import CLibrary
  import Foundation
  import Signals

  extension FileSystems {
    private struct Mounts {
      var table: MountTable?
      var monitor: CInt = -1

      /// Returns the table, and reads it again only after a mount, which the system reports through the open file.
      mutating func current() -> MountTable {
        if monitor < 0 { monitor = uninterrupted { open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC) } }
        var request = pollfd(fd: monitor, events: Int16(POLLPRI), revents: 0)
        let hasChanged = poll(&request, 1, 0) > 0
        if let table, !hasChanged { return table }
        // Without /proc nothing is known, and nothing is polled unless requested.
        let content = FileManager.default.contents(atPath: "/proc/self/mountinfo")
        let table = MountTable(parsing: String(decoding: content ?? Data(), as: UTF8.self))
        self.table = content == nil ? nil : table
        return table
      }
    }

    private static let mounts = Guarded(Mounts())

    /// Returns the type of a directory's file system, if other systems can change it without notifying this one.
    package static func silentType(of path: String) -> String? {
      mounts.withLock { mounts in
        if let type = mounts.current().type(of: path), isChangedFromElsewhere(type) { type } else { nil }
      }
    }
  }
#endif
