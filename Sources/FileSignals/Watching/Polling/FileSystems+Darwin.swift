#if canImport(Darwin)
  import Darwin

  extension FileSystems {
    /// The type of the file system of a directory, if it can be changed without this system's knowledge.
    package static func silentType(of path: String) -> String? {
      var status = statfs()
      guard statfs(path, &status) == 0 else { return nil }
      // Sound: the name ends with a NUL within its array.
      let type = withUnsafeBytes(of: &status.f_fstypename) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      let isLocal = status.f_flags & UInt32(MNT_LOCAL) != 0
      return !isLocal || isChangedFromElsewhere(type) ? type : nil
    }
  }
#endif
