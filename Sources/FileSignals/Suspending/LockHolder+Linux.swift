#if os(Linux) || os(Android)
  import Foundation

  extension LockHolder {
    /// Records this process as the holder of a lock, where the system does not.
    @inline(__always)
    static func record(in descriptor: CInt) {}

    /// Finds the process that holds a lock of an open file.
    ///
    /// - Parameters:
    ///   - identity: The identity of the file.
    ///   - descriptor: A descriptor of the file, for systems that do not list locks.
    /// - Returns: The process, or `nil` if it is unknown, for example because it runs in another container.
    static func find(_ identity: FileIdentity, descriptor: CInt) -> LockHolder? {
      find(identity, kinds: ["FLOCK"])
    }

    /// Finds the process that holds a lock for writing that SQLite has acquired in a file.
    package static func writer(of path: String) -> LockHolder? {
      guard let status = FileStatus(path: path) else { return nil }
      return find(status.identity, kinds: ["POSIX", "OFDLCK"], mode: "WRITE")
    }

    private static func find(_ identity: FileIdentity, kinds: Set<Substring>, mode: Substring? = nil) -> LockHolder? {
      let lines = text(of: "/proc/locks").split(separator: "\n")
      // A line is `1: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF`. One that waits has an arrow after its number.
      for line in lines {
        let words = line.split(separator: " ")
        guard words.count > 5, kinds.contains(words[1]), mode == nil || words[3] == mode, let process = Int32(words[4]),
          process > 0, words[5].split(separator: ":").last.flatMap({ UInt64($0) }) == identity.inode,
          isDevice(words[5], identity.device)
        else { continue }
        return LockHolder(process)
      }
      return nil
    }

    /// Returns whether an entry belongs to a device.
    ///
    /// Some file systems, such as Btrfs, show another device to programs than to `/proc/locks`. Then the inode decides.
    private static func isDevice(_ place: Substring, _ device: UInt64) -> Bool {
      let numbers = place.split(separator: ":")
      guard numbers.count == 3, let major = UInt64(numbers[0], radix: 16), let minor = UInt64(numbers[1], radix: 16)
      else { return false }
      return major == 0 || (major == (device >> 8) & 0xfff && minor == (device & 0xff) | ((device >> 12) & 0xfff00))
    }

    private init(_ process: Int32) {
      let name = Self.text(of: "/proc/\(process)/comm").split(separator: "\n").first ?? "a process"
      let state = Self.text(of: "/proc/\(process)/status").split(separator: "\n").first { $0.hasPrefix("State:") }
      let letter = state?.split(whereSeparator: \.isWhitespace).dropFirst().first
      self.init(
        processIdentifier: process, processName: String(name), isStopped: letter == "T" || letter == "t")
    }

    private static func text(of path: String) -> String {
      do throws(DurableFileError) {
        return String(decoding: try FileReader.read(path, url: URL(filePath: path)), as: UTF8.self)
      } catch {
        return ""
      }
    }
  }
#endif
