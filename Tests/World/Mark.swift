public import Contexts
public import Stores

/// A value that names the environment in which it was written.
public struct Mark: Codable, Sendable, Equatable {
  /// The environment.
  public var environment = "none"
  /// The number of times the value was written.
  public var count = 0

  /// Makes the value of an environment.
  public init(environment: String = "none") {
    self.environment = environment
  }
}

/// A row that names its environment.
public struct MarkRow: StoreModel, Equatable {
  /// The table of the rows.
  public static let table = TableSpec("mark")
  /// The key.
  public var id: Int
  /// The environment.
  public var environment: String
  /// The number of times the row was written.
  public var count = 0
}

/// A user who names the environment in which they logged in.
public struct Resident: SessionUser, Equatable {
  /// The identity.
  public let id: String
  /// The environment.
  public var environment: String
  /// The number of times the user was changed.
  public var token = 0
}

/// A server that trusts every user.
final class ResidentServer: AuthControllerDelegate {
  func authenticate() async throws -> Resident { throw AuthRejection(reason: "nobody") }
  func shouldRefreshAuthentication(with user: Resident, isStartup: Bool) -> Bool { false }
  func refreshAuthentication(with user: Resident) async throws -> Resident { user }
  func deauthenticate(_ user: Resident) async throws {}
}
