import Signals

/// A holder of the delegate that communicates with the server.
///
/// It does not keep the delegate alive.
public final class AuthController<User: SessionUser>: Sendable {
  private struct Reference: Sendable {
    weak let delegate: (any AuthControllerDelegate<User>)?
  }

  private let reference = Guarded(Reference(delegate: nil))
  private let wasSet = Guarded<(@Sendable () -> Void)?>(nil)

  init() {}

  /// The delegate, or `nil` if none was set or it has been released.
  ///
  /// If a renewal failed because there was no delegate, it starts again when one is set.
  public var delegate: (any AuthControllerDelegate<User>)? {
    get { reference.withLock { $0 }.delegate }
    set {
      reference.withLock { $0 = Reference(delegate: newValue) }
      if newValue != nil { wasSet.withLock { $0 }?() }
    }
  }

  /// Calls a closure each time a delegate is set.
  func whenSet(_ body: @escaping @Sendable () -> Void) {
    wasSet.withLock { $0 = body }
  }
}

extension AuthController: CustomStringConvertible, CustomReflectable {
  /// The delegate's type, without the delegate's contents.
  public var description: String {
    "AuthController(delegate: \(delegate.map { "\(type(of: $0))" } ?? "none"))"
  }

  /// The delegate's type, without the delegate's contents.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
