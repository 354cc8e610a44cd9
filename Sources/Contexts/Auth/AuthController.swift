import Signals

/// Knows the delegate that speaks with the server, without keeping it alive.
public final class AuthController<User: SessionUser>: Sendable {
  private struct Reference: Sendable {
    weak let delegate: (any AuthControllerDelegate<User>)?
  }

  private let reference = Guarded(Reference(delegate: nil))

  init() {}

  /// The delegate; `nil` if there is none, or not any more.
  public var delegate: (any AuthControllerDelegate<User>)? {
    get { reference.withLock { $0 }.delegate }
    set { reference.withLock { $0 = Reference(delegate: newValue) } }
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
