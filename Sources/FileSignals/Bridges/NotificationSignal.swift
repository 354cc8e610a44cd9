public import Foundation
public import Signals

extension NotificationCenter {
  /// Returns a signal that sends whenever a notification is posted.
  ///
  /// ```swift
  /// import FileSignals
  /// import Foundation
  /// import Signals
  ///
  /// let center = NotificationCenter.default
  /// let name = Notification.Name("saved")
  /// let subscription = center.signal(for: name).sink { print("saved") }
  /// center.post(name: name, object: nil)  // Prints "saved"
  /// ```
  ///
  /// The value is sent on the thread that posts, before `post` returns. The signal never ends. A subscription adds an
  /// observer to the center, which is removed when the subscription is cancelled.
  ///
  /// - Parameters:
  ///   - name: The name of the notification.
  ///   - object: The sender whose notifications to receive, or `nil` for any sender. The signal keeps the object alive.
  /// - Returns: A signal of `Void` values.
  public func signal(
    for name: Notification.Name,
    object: (any AnyObject & Sendable)? = nil
  ) -> CreateSignal<Void, Never> {
    signal(for: name, object: object) { _ in }
  }

  /// Returns a signal of values that a closure extracts from each notification.
  ///
  /// A `Notification` may contain any type, so it must not cross threads. Extract the values that you need.
  ///
  /// ```swift
  /// import FileSignals
  /// import Foundation
  /// import Signals
  ///
  /// let center = NotificationCenter.default
  /// let name = Notification.Name("level")
  /// let levels = center.signal(for: name) { $0.userInfo?["level"] as? Int }.compactMap { $0 }
  /// let subscription = levels.sink { print("level", $0) }
  /// center.post(name: name, object: nil, userInfo: ["level": 3])  // Prints "level 3"
  /// ```
  ///
  /// The value is sent on the thread that posts, before `post` returns. The signal never ends. A subscription adds an
  /// observer to the center, which is removed when the subscription is cancelled.
  ///
  /// - Parameters:
  ///   - name: The name of the notification.
  ///   - object: The sender whose notifications to receive, or `nil` for any sender. The signal keeps the object alive.
  ///   - transform: A closure that returns the value, called on the thread that posts.
  /// - Returns: A signal of the values that `transform` returns.
  public func signal<Element: Sendable>(
    for name: Notification.Name,
    object: (any AnyObject & Sendable)? = nil,
    _ transform: @escaping @Sendable (Notification) -> Element
  ) -> CreateSignal<Element, Never> {
    CreateSignal { [self] sink in
      let observer = Observer(
        token: addObserver(forName: name, object: object, queue: nil) { sink.send(transform($0)) })
      return SignalSubscription { [self] in removeObserver(observer.token) }
    }
  }
}

/// The token by which a notification center identifies an observer.
private struct Observer: @unchecked Sendable {  // Sound: it is only passed back to the center.
  let token: any NSObjectProtocol
}
