#if canImport(Darwin)
  import Foundation
  import Signals

  /// A signal that sends when a value of `UserDefaults` changes, and once at the beginning, by key-value observing.
  struct KeyValueOccasions: Signal {
    typealias Element = Void
    typealias Failure = Never

    let value: UserDefaultsValue

    func subscribe(_ subscriber: some SignalSubscriber<Void, Never>) -> SignalSubscription {
      let observer = Observer()
      let subscription = observer.emitter.subscribe(subscriber)
      value.defaults.addObserver(observer, forKeyPath: value.key, options: .initial, context: nil)
      return SignalSubscription { [value] in
        subscription.cancel()
        value.defaults.removeObserver(observer, forKeyPath: value.key, context: nil)
      }
    }

    private final class Observer: NSObject, @unchecked Sendable {  // Sound: immutable.
      let emitter = Emitter<Void, Never>()

      override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
      ) {
        emitter.send()
      }
    }
  }
#endif
