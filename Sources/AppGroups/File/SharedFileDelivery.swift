import Signals

/// Stored values that will be sent to subscribers when no lock is held.
struct SharedFileDelivery<Value: Sendable> {
  var value: StagedValue<Value>?
  var status: StagedValue<SharedValueStatus<AppGroupsFileError>>?

  /// Sends the value before the status, so that a subscriber that receives the recovery finds the new value.
  func send() {
    value?.send()
    status?.send()
  }
}
