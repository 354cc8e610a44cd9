#if canImport(Darwin)
  import CLibrary

  typealias SignalHandler = @convention(c) (CInt, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void

  /// Installs a handler for a signal, and returns the earlier one in `earlier`.
  func installSignalHandler(
    _ number: CInt, _ handler: @escaping SignalHandler, _ earlier: UnsafeMutablePointer<sigaction>
  ) -> CInt {
    var action = sigaction()
    action.__sigaction_u.__sa_sigaction = handler
    action.sa_flags = SA_SIGINFO | SA_RESTART
    return sigaction(number, &action, earlier)
  }

  /// Installs the earlier handler again, unless another one has been installed over `handler`.
  func restoreSignalHandler(
    _ number: CInt, _ handler: @escaping SignalHandler, _ earlier: UnsafeMutablePointer<sigaction>
  ) {
    var current = sigaction()
    guard sigaction(number, nil, &current) == 0, current.sa_flags & SA_SIGINFO != 0 else { return }
    // Sound: both are pointers to functions.
    let installed = unsafeBitCast(current.__sigaction_u.__sa_sigaction, to: UnsafeRawPointer?.self)
    if installed == unsafeBitCast(handler, to: UnsafeRawPointer?.self) { _ = sigaction(number, earlier, nil) }
  }

  /// Calls the earlier handler, unless it is the default action or ignores the signal.
  func callSignalHandler(
    _ earlier: UnsafeMutablePointer<sigaction>, _ number: CInt, _ info: UnsafeMutablePointer<siginfo_t>?,
    _ context: UnsafeMutableRawPointer?
  ) {
    let union = earlier.pointee.__sigaction_u
    if earlier.pointee.sa_flags & SA_SIGINFO != 0 {
      union.__sa_sigaction?(number, info, context)
    } else if let handler = union.__sa_handler {
      // Sound: both are pointers to functions; 0 is the default action, and 1 ignores the signal.
      let address = UInt(bitPattern: unsafeBitCast(handler, to: UnsafeRawPointer?.self))
      if address > 1 { handler(number) }
    }
  }
#endif
