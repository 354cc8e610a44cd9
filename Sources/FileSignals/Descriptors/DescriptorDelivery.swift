import Dispatch

/// The place where a descriptor's subscribers are called.
enum DescriptorDelivery: Sendable {
  /// Asynchronously on a serial queue.
  case queue(DispatchQueue)

  /// On the thread that waited, so that no other thread has to be woken; another one waits meanwhile.
  ///
  /// The closure runs on the same thread when the call is over and the descriptor is waited for again. Work that may
  /// take long belongs there, because it keeps no later event from being delivered.
  case inline(afterwards: @Sendable () -> Void)
}
