import SignalsKit

/// Four processes share one session, whose ticket lasts for a moment and can be exchanged once.
struct SessionScene: Scene {
  let isQuick: Bool
  let title = "Four processes share a session that is renewed all the time, each time by one of them"

  func play(in workplace: Workplace, on display: Display) async throws -> [Promise] {
    let office = try TicketOffice.file(in: workplace.container)
    let clerk = try TicketClerk(workplace.container)
    let context = try TicketClerk.session(in: workplace.container)
    try await context.setup(authDelegate: clerk)
    try await context.triggerLogin()

    let members = try (0..<3).map { _ in try ChildProcess(.visitor(directory: workplace.directory.path)) }
    for member in members { try await member.wait(for: "ready") }
    let renewals = isQuick ? 4 : 15
    let first = office.value.issued
    let progress = office.sink { display.progress("\($0.issued - first) of \(renewals) renewals") }
    try await office.property.wait(for: "the renewals") { $0.issued >= first + renewals }
    progress.cancel()
    let ticket = office.value.issued
    for member in members {
      try await member.wait(for: "ticket \(ticket)") { Self.tickets($0).contains { $0 >= ticket } }
    }
    // For a moment it may be one that is being renewed, and never one that is over.
    let state = try await context.authState.wait(for: "a session that is valid") { $0 != .presession }
    try await context.logout()
    for member in members { try await member.wait(for: "unauthenticated") }

    let books = try office.read()
    let isOrdered = members.allSatisfy { member in
      let tickets = Self.tickets(member.transcript.value.lines)
      return tickets == tickets.sorted() && !tickets.isEmpty
    }
    display.line("  \(renewals) renewals of a session of \(members.count + 1) processes; then it ended for all of them")
    return [
      Promise(
        "A session is renewed once for all processes",
        isKept: state == .authenticated && books.misuses == 0 && books.hasty == 0,
        seen: "\(books.issued - first) exchanges, \(books.misuses) of a ticket that was used, \(books.hasty) too early"),
      Promise("Every process has the newest session", isKept: isOrdered, seen: "tickets in order in each of them"),
    ]
  }

  private static func tickets(_ lines: [String]) -> [Int] {
    lines.compactMap { $0.hasPrefix("ticket ") ? Int($0.dropFirst("ticket ".count)) : nil }
  }
}
