/// The name and password of a user of the cluster.
public struct ClusterCredentials: Sendable, Hashable {
  /// The name of the user.
  public var user: String

  /// The password.
  public var password: String

  /// Creates credentials.
  ///
  /// - Parameters:
  ///   - user: The name of the user.
  ///   - password: The password.
  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }
}

extension ClusterCredentials: CustomStringConvertible, CustomReflectable {
  /// The name of the user, without the password.
  public var description: String { "the user \(user.debugDescription)" }

  /// A mirror without the password.
  public var customMirror: Mirror { Mirror(self, children: ["user": user]) }
}
