import Dispatch

/// The thread or queue on which a descriptor's subscribers are called.
enum DescriptorDelivery: Sendable {
  /// Asynchronously on a serial queue.
  case queue(DispatchQueue)

  /// On the thread that waited for the descriptor, so that no other thread has to be woken.
  ///
  /// Another thread waits during the call.
  ///
  /// The closure runs on the same thread after the call, when the descriptor is waited for again. Do long work there,
  /// because it does not delay later events.
  case inline(afterwards: @Sendable () -> Void)
}
