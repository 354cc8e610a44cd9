public import Foundation
public import Signals

extension NotificationCenter {
  /// A signal that says when a notification was posted.
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
  /// The value is sent on the thread that posts, inside its call. The signal never ends; a subscription is an observer
  /// of the center, which is removed when the subscription is cancelled.
  ///
  /// - Parameters:
  ///   - name: The notification.
  ///   - object: Whose notifications to take; everybody's if it is `nil`. The signal keeps it alive.
  /// - Returns: A signal without a value of its own.
  public func signal(
    for name: Notification.Name,
    object: (any AnyObject & Sendable)? = nil
  ) -> NotificationSignal<Void> {
    NotificationSignal(center: self, name: name, object: object) { _ in }
  }

  /// A signal of what each notification says.
  ///
  /// A `Notification` may hold anything, so it must not cross threads; take from it what you need.
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
  /// The value is sent on the thread that posts, inside its call. The signal never ends; a subscription is an observer
  /// of the center, which is removed when the subscription is cancelled.
  ///
  /// - Parameters:
  ///   - name: The notification.
  ///   - object: Whose notifications to take; everybody's if it is `nil`. The signal keeps it alive.
  ///   - transform: Makes the value, on the thread that posts.
  /// - Returns: A signal of the values that `transform` returns.
  public func signal<Element: Sendable>(
    for name: Notification.Name,
    object: (any AnyObject & Sendable)? = nil,
    _ transform: @escaping @Sendable (Notification) -> Element
  ) -> NotificationSignal<Element> {
    NotificationSignal(center: self, name: name, object: object, transform: transform)
  }
}

/// A signal of notifications; made by `NotificationCenter.signal(for:object:)`.
public struct NotificationSignal<Element: Sendable>: Signal {
  /// A notification center does not fail.
  public typealias Failure = Never

  let center: NotificationCenter
  let name: Notification.Name
  let object: (any AnyObject & Sendable)?
  let transform: @Sendable (Notification) -> Element

  /// Makes the subscriber an observer of the center.
  public func subscribe<Subscriber: SignalSubscriber<Element, Never>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let emitter = Emitter<Element, Never>()
    let subscription = emitter.subscribe(subscriber)
    let observer = Observer(
      token: center.addObserver(forName: name, object: object, queue: nil) { [transform] notification in
        emitter.send(transform(notification))
      }
    )
    return SignalSubscription { [center] in
      subscription.cancel()
      center.removeObserver(observer.token)
    }
  }

  /// What the center calls an observer by.
  private struct Observer: @unchecked Sendable {  // Sound: it is only ever given back to the center.
    let token: any NSObjectProtocol
  }
}
