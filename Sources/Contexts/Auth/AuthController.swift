import Signals

/// Knows the delegate that speaks with the server, without keeping it alive.
public final class AuthController<User: SessionUser>: Sendable {
  private struct Reference: Sendable {
    weak let delegate: (any AuthControllerDelegate<User>)?
  }

  private let reference = Guarded(Reference(delegate: nil))
  private let wasSet = Guarded<(@Sendable () -> Void)?>(nil)

  init() {}

  /// The delegate; `nil` if there is none, or not any more.
  ///
  /// A renewal that failed because there was none begins again when one is set.
  public var delegate: (any AuthControllerDelegate<User>)? {
    get { reference.withLock { $0 }.delegate }
    set {
      reference.withLock { $0 = Reference(delegate: newValue) }
      if newValue != nil { wasSet.withLock { $0 }?() }
    }
  }

  /// Calls a closure each time that a delegate is set.
  func whenSet(_ body: @escaping @Sendable () -> Void) {
    wasSet.withLock { $0 = body }
  }
}

extension AuthController: CustomStringConvertible, CustomReflectable {
  /// The delegate's type; what the delegate holds is not shown.
  public var description: String {
    "AuthController(delegate: \(delegate.map { "\(type(of: $0))" } ?? "none"))"
  }

  /// The delegate's type; what the delegate holds is not shown.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
