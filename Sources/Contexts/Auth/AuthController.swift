import Signals

/// A holder of the delegate that communicates with the server.
///
/// It does not keep the delegate alive.
public final class AuthController<User: SessionUser>: Sendable {
  private struct State {
    weak var delegate: (any AuthControllerDelegate<User>)?
    var wasSet: (@Sendable () -> Void)?
  }

  private let state = Guarded(State())

  init() {}

  /// The delegate, or `nil` if none was set or it has been released.
  ///
  /// If a renewal failed because there was no delegate, it starts again when one is set.
  public var delegate: (any AuthControllerDelegate<User>)? {
    get { state.withLock { $0.delegate } }
    set {
      let wasSet = state.withLock { state in
        state.delegate = newValue
        return state.wasSet
      }
      if newValue != nil { wasSet?() }
    }
  }

  /// Calls a closure each time a delegate is set.
  func whenSet(_ body: @escaping @Sendable () -> Void) {
    state.replace { exchange(&$0.wasSet, with: body) }
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
