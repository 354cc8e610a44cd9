/// Does work elsewhere; answers whether that place still exists.
typealias Schedule = @Sendable (_ work: @escaping @Sendable () -> Void) -> Bool

/// Takes what waits in a mailbox to a subscriber, in the place that a schedule stands for.
final class Carrier<Subscriber: SignalSubscriber>: SubscriptionOwner, @unchecked Sendable {
  // Sound: the subscriber is guarded by the lock.
  let mailbox = Mailbox<Subscriber.Element, Subscriber.Failure>()
  private let lock = Lock()
  private var subscriber: Subscriber?
  private let schedule: Schedule

  init(to subscriber: Subscriber, schedule: @escaping Schedule) {
    self.subscriber = subscriber
    self.schedule = schedule
  }

  /// Sends for what waits in the mailbox.
  func collect() {
    let isUnderWay = schedule { [self] in
      deliver()
      if !mailbox.isDone() { collect() }
    }
    if !isUnderWay { close() }
  }

  private func deliver() {
    guard let subscriber = lock.withLock({ subscriber }) else { return }
    for letter in mailbox.takeAll() where !mailbox.isCancelled {
      switch letter {
      case .value(let value): subscriber.receive(value)
      case .completion(let completion):
        subscriber.receive(completion: completion)
        close()
      }
    }
  }

  /// Drops what waits and lets go of the subscriber.
  private func close() {
    mailbox.close()
    let released = lock.withLock { subscriber.take() }
    withExtendedLifetime(released) {}
  }

  override func cancel(_ subscription: SignalSubscription) {
    close()
  }
}

/// Puts what it receives in a mailbox, and sends for the carrier when nobody is on the way.
struct MailboxStage<Element: Sendable, Failure: Error>: SignalSubscriber {
  let mailbox: Mailbox<Element, Failure>
  let collect: @Sendable () -> Void

  init(mailbox: Mailbox<Element, Failure>, collect: @escaping @Sendable () -> Void) {
    self.mailbox = mailbox
    self.collect = collect
  }

  func receive(_ value: Element) {
    if mailbox.put(.value(value)) { collect() }
  }

  func receive(completion: SignalCompletion<Failure>) {
    if mailbox.put(.completion(completion)) { collect() }
  }
}
