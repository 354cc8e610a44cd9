import Foundation
import SignalsKit

/// Somebody who may come in with a ticket that lasts for a moment and can be exchanged once.
struct Visitor: SessionUser {
  let id: String
  var ticket: Int
  var expiration: Date?
}

/// What a server knows: which ticket is the valid one.
///
/// It is a file here, so that several processes can ask it.
struct TicketOffice: Codable, Sendable {
  /// How long a ticket lasts.
  static let lifetime = 0.6

  /// The number of the last ticket, the only one that counts.
  var issued = 0
  var issuedAt = Date.distantPast

  /// How many tickets were shown that had been exchanged already.
  var misuses = 0

  /// How many were exchanged that were still good for most of their time.
  var hasty = 0

  static func file(in container: AppGroupsContainer) throws -> AppGroupsFile<TicketOffice> {
    try AppGroupsFile(name: "office.json", initialValue: TicketOffice(), container: container)
  }

  /// Hands out the next ticket.
  mutating func issue(to id: String) -> Visitor {
    issued += 1
    issuedAt = Date()
    return Visitor(id: id, ticket: issued, expiration: issuedAt.addingTimeInterval(Self.lifetime))
  }

  /// Exchanges a ticket, once.
  mutating func exchange(_ visitor: Visitor) -> Visitor? {
    guard visitor.ticket == issued else {
      misuses += 1
      return nil
    }
    if Date().timeIntervalSince(issuedAt) < Self.lifetime / 2 { hasty += 1 }
    return issue(to: visitor.id)
  }
}

/// Speaks with the office for one process.
final class TicketClerk: AuthControllerDelegate {
  private let office: AppGroupsFile<TicketOffice>

  init(_ container: AppGroupsContainer) throws {
    office = try TicketOffice.file(in: container)
  }

  func authenticate() async throws -> Visitor { try await office.update { $0.issue(to: "visitor") } }

  func shouldRefreshAuthentication(with user: Visitor, isStartup: Bool) -> Bool { false }

  func refreshAuthentication(with user: Visitor) async throws -> Visitor {
    guard let visitor = try await office.update({ $0.exchange(user) }) else {
      throw AuthRejection(reason: "ticket \(user.ticket) was exchanged before")
    }
    return visitor
  }

  func deauthenticate(_ user: Visitor) async throws {}
}

extension TicketClerk {
  /// The session that all processes of the tour have together.
  static func session(in container: AppGroupsContainer) throws -> StandardAppContext<Visitor> {
    try StandardAppContext(root: container.containerURL.appending(path: "session", directoryHint: .isDirectory))
  }
}
