public import Foundation
public import Signals

extension AppContainer {
  /// The notification before a switch.
  ///
  /// Its `userInfo` has an ``Environment`` for each of the keys `from` and `to`.
  public static let willChangeNotification = Notification.Name("org.signals.environmentWillChange")

  /// The notification after a switch by any process.
  ///
  /// Its `userInfo` has an ``Environment`` for each of the keys `from` and `to`.
  public static let didChangeNotification = Notification.Name("org.signals.environmentDidChange")

  /// Posts a notification before and after each switch, for code that observes notifications instead of ``events``.
  ///
  /// ```swift
  /// import Containers
  /// import Foundation
  ///
  /// let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  /// let app = try AppContainer(home: home)
  /// let posting = app.postNotifications()
  /// let name = AppContainer.didChangeNotification
  /// let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
  ///   print((notification.userInfo?["to"] as? AppContainer.Environment)?.name ?? "nothing")
  /// }
  /// try app.activate(app.create(name: "Work"))  // Prints "Work"
  /// NotificationCenter.default.removeObserver(observer)
  /// posting.cancel()
  /// try FileManager.default.removeItem(at: home)
  /// ```
  ///
  /// They are posted on the thread that switches, or on a thread of the root for switches by other processes. A switch
  /// that fails posts no second notification. Notifications do not name the root, so post them for one root only.
  ///
  /// - Parameter center: The notification center.
  /// - Returns: A token that ends the posting when it is cancelled or released.
  public func postNotifications(to center: NotificationCenter = .default) -> SignalSubscription {
    events.sink { event in
      switch event {
      case .willChange(let from, let to):
        center.post(name: Self.willChangeNotification, object: nil, userInfo: ["from": from, "to": to])
      case .didChange(let from, let to):
        center.post(name: Self.didChangeNotification, object: nil, userInfo: ["from": from, "to": to])
      case .failed: break
      }
    }
  }
}
