public import Foundation
public import Signals

extension AppContainer {
  /// Is posted before a switch; its `userInfo` holds two ``Container``s under the keys `from` and `to`.
  public static let containerWillChangeNotification = Notification.Name("org.signals.containerWillChange")

  /// Is posted after a switch, by whichever process; its `userInfo` holds two ``Container``s under the keys `from` and
  /// `to`.
  public static let containerDidChangeNotification = Notification.Name("org.signals.containerDidChange")

  /// Posts notifications of switches, for code that waits for those; ``events`` tell more.
  ///
  /// ```swift
  /// import Containers
  /// import Foundation
  ///
  /// let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  /// let app = try AppContainer(home: home)
  /// let posting = app.postNotifications()
  /// let name = AppContainer.containerDidChangeNotification
  /// let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
  ///   print((notification.userInfo?["to"] as? Container)?.name ?? "nothing")
  /// }
  /// try app.activate(container: try app.createNewContainer(name: "Work"))  // Prints "Work"
  /// NotificationCenter.default.removeObserver(observer)
  /// posting.cancel()
  /// try FileManager.default.removeItem(at: home)
  /// ```
  ///
  /// They are posted on the thread that switches, or on one of the root's own for switches of other processes. After a
  /// switch that failed there is no second one.
  ///
  /// - Parameter center: Where to post them.
  /// - Returns: What to release, or cancel, for that to end.
  public func postNotifications(to center: NotificationCenter = .default) -> SignalSubscription {
    events.sink { event in
      switch event {
      case .willChange(let from, let to):
        center.post(name: Self.containerWillChangeNotification, object: nil, userInfo: ["from": from, "to": to])
      case .didChange(let from, let to):
        center.post(name: Self.containerDidChangeNotification, object: nil, userInfo: ["from": from, "to": to])
      case .failed: break
      }
    }
  }
}
