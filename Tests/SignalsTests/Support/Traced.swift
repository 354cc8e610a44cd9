import Signals

extension Signal {
  /// Subscribes and logs each value, then "|" for the end or "#" for a failure.
  func trace(in log: Log<String>) -> SignalSubscription {
    sink(
      receiveCompletion: { completion in
        switch completion {
        case .finished: log.add("|")
        case .failure: log.add("#")
        }
      },
      receiveValue: { log.add("\($0)") }
    )
  }

  /// The values that the signal sends inside the subscribing call.
  var traced: [String] {
    let log = Log<String>()
    let subscription = trace(in: log)
    withExtendedLifetime(subscription) {}
    return log.entries
  }
}
