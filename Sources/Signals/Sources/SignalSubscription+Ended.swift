extension SignalSubscription {
  /// The token of a subscription that was over before it could be returned.
  @usableFromInline
  static var ended: SignalSubscription { SignalSubscription(owner: nobody) }

  private static let nobody = SubscriptionOwner()
}
