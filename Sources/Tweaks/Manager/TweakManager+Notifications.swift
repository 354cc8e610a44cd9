public import Foundation
public import Signals

extension TweakManager {
  /// The notification after a change of a tweak, with the name that JustTweak gives it.
  ///
  /// Its `object` is the manager, and its `userInfo` has a ``TweakChange`` for the key `change`.
  public static let didChangeNotification = Notification.Name("TweakProviderDidChangeNotification")

  /// Posts a notification after each change of a tweak, for code that observes notifications instead of ``changes``.
  ///
  /// ```swift
  /// import Foundation
  /// import Tweaks
  ///
  /// let manager = TweakManager(providers: [EphemeralTweakProvider()])
  /// let posting = manager.postNotifications()
  /// let name = TweakManager.didChangeNotification
  /// let observer = NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) { notification in
  ///   if let change = notification.userInfo?["change"] as? TweakChange { print(change) }
  /// }
  /// try manager.set(20, feature: "shop", variable: "limit")  // Prints "shop/limit: none → 20 (EphemeralTweakProvider)"
  /// NotificationCenter.default.removeObserver(observer)
  /// posting.cancel()
  /// ```
  ///
  /// They are posted in the order of ``changes``, on the threads that send these.
  ///
  /// - Parameter center: The notification center.
  /// - Returns: A token that ends the posting when it is cancelled or released. It keeps the manager alive.
  public func postNotifications(to center: NotificationCenter = .default) -> SignalSubscription {
    changes.sink { [self] change in
      center.post(name: Self.didChangeNotification, object: self, userInfo: ["change": change])
    }
  }
}
