#if os(Linux) || os(Android)
  import Foundation

  extension SystemLocks {
    /// A Boolean value that indicates whether the system lists locks.
    package static let isAvailable = true

    /// A Boolean value that indicates whether the system lists the locks of all processes.
    ///
    /// In a namespace of process identifiers, such as a container's, it leaves out the locks of processes outside.
    package static let isComplete: Bool = {
      // The number of the outermost namespace is fixed in the kernel's interface.
      FileStatus.ifReadable(path: "/proc/self/ns/pid")?.identity.inode == 0xEFFF_FFFC
    }()

    /// Returns the present locks.
    package static func current() -> SystemLocks {
      // A line is `1: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF`. One that waits has an arrow after its number.
      SystemLocks(LockHolder.text(of: "/proc/locks").split(separator: "\n").compactMap(entry))
    }

    private static func entry(_ line: Substring) -> Entry? {
      var words = line.split(separator: " ").dropFirst()
      let isWaiting = words.first == "->"
      if isWaiting { words = words.dropFirst() }
      let fields = Array(words)
      guard fields.count > 4, let process = Int32(fields[3]), process > 0 else { return nil }
      let place = fields[4].split(separator: ":")
      guard place.count == 3, let major = UInt64(place[0], radix: 16), let minor = UInt64(place[1], radix: 16),
        let inode = UInt64(place[2])
      else { return nil }
      return Entry(
        kind: fields[0] == "OFDLCK" ? "ofd" : fields[0].lowercased(), isExclusive: fields[2] == "WRITE",
        isWaiting: isWaiting, process: process, inode: inode, major: major, minor: minor)
    }
  }

  extension LockHolder {
    /// Creates the holder with a process identifier, with the name that the system shows.
    package init(_ process: Int32) {
      let name = Self.text(of: "/proc/\(process)/comm").split(separator: "\n").first ?? "a process"
      let state = Self.text(of: "/proc/\(process)/status").split(separator: "\n").first { $0.hasPrefix("State:") }
      let letter = state?.split(whereSeparator: \.isWhitespace).dropFirst().first
      self.init(
        processIdentifier: process, processName: String(name), isStopped: letter == "T" || letter == "t")
    }

    static func text(of path: String) -> String {
      tolerating(String(decoding: try FileReader.read(path, url: URL(filePath: path)), as: UTF8.self), else: "")
    }
  }
#endif
