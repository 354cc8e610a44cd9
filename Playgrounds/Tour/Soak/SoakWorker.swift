import Foundation
import SignalsKit

/// Uses everything at once, and says after each round what it has done and seen.
struct SoakWorker {
  /// Which of the workers it is; the first one is never killed, and has the session.
  let slot: Int
  let directory: String

  func run(_ commands: Commands, say: @escaping @Sendable (String) -> Void) async throws {
    let world = try SoakWorld(URL(fileURLWithPath: directory, isDirectory: true))
    let token = try world.presence.announce(slot)
    let share = try DatabaseShare(
      world.database, container: world.container, author: "worker \(slot)", tables: ["account"])
    let context = slot == 0 ? try await session(world) : nil
    let seen = MutableProperty(SoakReport())
    var subscriptions: Set<SignalSubscription> = []
    world.picture.map(\.isWhole).sink { isWhole in
      if !isWhole { seen.modify { $0.torn += 1 } }
    }.store(in: &subscriptions)
    world.name.sink { name in
      if !SoakWorld.environments.contains(name) { seen.modify { $0.misplaced += 1 } }
    }.store(in: &subscriptions)
    let total = SoakWorld.Account.count * 1_000
    world.database.query(SoakWorld.Account.ordered { $0.id }).sink { accounts in
      if accounts.map(\.balance).reduce(0, +) != total { seen.modify { $0.unbalanced += 1 } }
    }.store(in: &subscriptions)
    let isStopping = MutableProperty(false)
    let ending = Task {
      for await command in commands.lines where command == "stop" { isStopping.value = true }
    }
    say("ready")

    for round in 1... {
      if isStopping.value { break }
      try await work(round, in: world, seen)
      say(seen.value.line)
      // What others do is to have its turn, too.
      try await Task.sleep(for: .milliseconds(3))
    }
    subscriptions.removeAll()
    ending.cancel()
    share.close()
    token.withdraw()
    say("stopped")
    for await _ in commands.lines {}
    withExtendedLifetime(context) {}
  }

  private func work(_ round: Int, in world: SoakWorld, _ seen: MutableProperty<SoakReport>) async throws {
    let slot = slot
    let number = try await world.ledger.update { ledger in
      ledger[slot, default: 0] += 1
      return ledger[slot, default: 0]
    }
    seen.modify { report in
      report.ledger = number
      report.counted += 1
    }
    try world.log.append(SoakWorld.Entry(slot: slot, number: number))
    seen.modify { $0.logged += 1 }
    try await world.visits.update { $0[slot, default: 0] += 1 }
    seen.modify { $0.visited += 1 }
    try world.flags.set(number, for: SoakWorld.flag(slot))
    seen.modify { $0.flag = number }
    try await world.database.write { transaction in
      let (from, to) = (Int.random(in: 0..<SoakWorld.Account.count), Int.random(in: 0..<SoakWorld.Account.count))
      try transaction.update(SoakWorld.Account.self, id: from) { $0.balance -= 1 }
      try transaction.update(SoakWorld.Account.self, id: to) { $0.balance += 1 }
    }
    if try world.sum() != SoakWorld.Account.count * 1_000 { seen.modify { $0.unbalanced += 1 } }
    if round.isMultiple(of: 20) { try await world.picture.write(world.picture.value.next) }
  }

  private func session(_ world: SoakWorld) async throws -> (StandardAppContext<Visitor>, TicketClerk) {
    let clerk = try TicketClerk(world.container)
    let context = try TicketClerk.session(in: world.container)
    try await context.setup(authDelegate: clerk)
    return (context, clerk)
  }
}
