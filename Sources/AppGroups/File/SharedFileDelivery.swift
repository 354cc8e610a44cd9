import Signals

/// What is stored already and goes out to subscribers once no lock is held.
struct SharedFileDelivery<Value: Sendable> {
  var value: StagedValue<Value>?
  var status: StagedValue<SharedValueStatus<AppGroupsFileError>>?

  /// Sends the value before the status, so that who hears that all is well again finds the value.
  func send() {
    value?.send()
    status?.send()
  }
}
