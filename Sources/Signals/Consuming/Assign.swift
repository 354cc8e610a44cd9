extension Signal where Failure == Never {
  /// Assigns every value to a property of an object, as long as the object lives.
  ///
  /// The object is not kept alive. After it has been released, the next value ends the subscription. Each value is
  /// assigned on the thread that sends it, before the sender's call returns, unless another delivery is in progress.
  /// This is safe because the object and the key path must be `Sendable`.
  ///
  /// Two properties that are assigned to each other need ``removeDuplicates()``; otherwise each write causes the next
  /// one forever.
  ///
  /// In a `@MainActor` class, the compiler reports "type 'ReferenceWritableKeyPath<…>' does not conform to the
  /// 'Sendable' protocol", because values may be sent on any thread. Use ``assign(on:to:onWeak:)`` there:
  /// `assign(on: MainActor.shared, to: \.text, onWeak: self)`.
  ///
  /// - Parameters:
  ///   - keyPath: The key path of the property to assign.
  ///   - object: The object that contains the property.
  /// - Returns: The subscription, which ends when the token is cancelled or released.
  public func assign<Root: AnyObject & Sendable>(
    to keyPath: any ReferenceWritableKeyPath<Root, Element> & Sendable, onWeak object: Root
  ) -> SignalSubscription {
    let upstreams = Upstreams()
    upstreams.add(
      subscribe(AssignSubscriber(object: { [weak object] in object }, keyPath: keyPath, upstreams: upstreams)))
    return SignalSubscription(owner: upstreams)
  }

  /// Assigns every value to a property of an object on the main actor, as long as the object lives.
  ///
  /// Values are assigned on the main actor, in order. Values that arrive while it is busy are assigned together, in one
  /// hop. The object is not kept alive.
  ///
  /// ```swift
  /// import Signals
  ///
  /// @MainActor final class Label {
  ///   var text = ""
  ///   private var subscription: SignalSubscription?
  ///
  ///   func show(_ title: MutableProperty<String>) {
  ///     subscription = title.assign(on: MainActor.shared, to: \.text, onWeak: self)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - actor: `MainActor.shared`.
  ///   - keyPath: The key path of the property to assign.
  ///   - object: The object that contains the property.
  /// - Returns: The subscription, which ends when the token is cancelled or released.
  @MainActor
  public func assign<Root: AnyObject & Sendable>(
    on actor: MainActor, to keyPath: ReferenceWritableKeyPath<Root, Element>, onWeak object: Root
  ) -> SignalSubscription {
    sink(on: actor) { [weak object] value in
      object?[keyPath: keyPath] = value
    }
  }
}

/// A subscriber that assigns values to a property of an object that it does not keep alive.
private struct AssignSubscriber<Root: AnyObject & Sendable, Element: Sendable>: SignalSubscriber {
  let object: @Sendable () -> Root?
  let keyPath: any ReferenceWritableKeyPath<Root, Element> & Sendable
  let upstreams: Upstreams

  func receive(_ value: Element) {
    if let object = object() {
      object[keyPath: keyPath] = value
    } else {
      upstreams.cancelAll()
    }
  }

  func receive(completion: SignalCompletion<Never>) {}

  var isDone: Bool { object() == nil }
}
