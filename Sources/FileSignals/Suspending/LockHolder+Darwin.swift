#if canImport(Darwin)
  import CLibrary

  /// On this system, no call names the holder of an `flock`, so each holder writes its name into the locked file.
  extension LockHolder {
    private static let size = 80

    private static let record: [UInt8] = {
      let name = String(cString: getprogname())
      let text = Array("\(getpid()) \(name)".utf8.prefix(size - 1))
      return text + Array(repeating: UInt8(ascii: "\n"), count: size - text.count)
    }()

    /// Records this process as the holder of a lock.
    static func record(in descriptor: CInt) {
      // The system would end a process that may write no file.
      guard fileSizeLimit() > 0 else { return }
      // A record that cannot be written makes only the message of a timeout less helpful.
      _ = record.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    /// Finds the process that holds a lock of an open file.
    static func find(_ identity: FileIdentity, descriptor: CInt) -> LockHolder? {
      var bytes = [UInt8](repeating: 0, count: size)
      let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
      guard count > 0, let line = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n").first
      else { return nil }
      let words = line.split(separator: " ", maxSplits: 1)
      guard words.count == 2, let process = Int32(words[0]), kill(process, 0) == 0 || errno == EPERM else { return nil }
      return LockHolder(processIdentifier: process, processName: String(words[1]))
    }

    /// Finds the process that holds a lock for writing that SQLite has acquired in a file.
    ///
    /// The system does not list it, and asking for it through another descriptor would release the locks of this
    /// process.
    package static func writer(of path: String) -> LockHolder? { nil }
  }
#endif
