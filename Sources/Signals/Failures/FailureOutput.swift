#if !canImport(os)
  import CLibrary

  /// The standard error output, for lines about failures.
  enum FailureOutput {
    /// The size that is written as a whole, also if other processes write to the same pipe.
    private static let largestSize = 4_000

    /// Writes one line, unless standard error cannot be written.
    ///
    /// A pipe that stays full is waited for only shortly, because the program may be about to end. A closed one is no
    /// reason to end the program.
    static func write(_ line: String) {
      var output = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
      guard poll(&output, 1, 100) == 1, output.revents & Int16(POLLERR | POLLNVAL) == 0 else { return }
      var bytes = Array(line.utf8)
      if bytes.count > largestSize { bytes = Array(String(decoding: bytes.prefix(largestSize), as: UTF8.self).utf8) }
      bytes.append(UInt8(ascii: "\n"))
      withoutPipeSignal { _ = CLibrary.write(STDERR_FILENO, bytes, bytes.count) }
    }

    /// Runs a closure whose writes to a closed pipe fail, and do not end the program.
    private static func withoutPipeSignal(_ body: () -> Void) {
      var (signals, pending, old) = (sigset_t(), sigset_t(), sigset_t())
      sigemptyset(&signals)
      sigaddset(&signals, SIGPIPE)
      sigpending(&pending)
      guard sigismember(&pending, SIGPIPE) == 0 else { return body() }
      pthread_sigmask(SIG_BLOCK, &signals, &old)
      body()
      var none = timespec()
      while sigtimedwait(&signals, nil, &none) < 0, errno == EINTR {}
      pthread_sigmask(SIG_SETMASK, &old, nil)
    }
  }
#endif
