import Contexts
import Foundation

/// A user whose token is encoded with everything else.
struct OpenAccount: SessionUser, Equatable {
  let id: String
  var name = "Ada"
  var token: String
}

/// A server whose tokens all contain the same recognizable text.
final class OpenServer: AuthControllerDelegate {
  static let token = "TopSecret"

  func authenticate() async throws -> OpenAccount { OpenAccount(id: "ada", token: Self.token) }
  func shouldRefreshAuthentication(with user: OpenAccount, isStartup: Bool) -> Bool { false }

  func refreshAuthentication(with user: OpenAccount) async throws -> OpenAccount {
    OpenAccount(id: user.id, name: user.name, token: user.token + "+")
  }

  func deauthenticate(_ user: OpenAccount) async throws {}
}
