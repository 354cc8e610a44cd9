#if canImport(Darwin)
  import CLibrary

  extension FileSystems {
    /// Returns the type of a directory's file system, if other systems can change it without notifying this one.
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
