extension SignalSubscription {
  /// The token of a subscription that had ended before it could be returned.
  @usableFromInline
  static var ended: SignalSubscription { SignalSubscription(owner: noOwner) }

  private static let noOwner = SubscriptionOwner()
}
