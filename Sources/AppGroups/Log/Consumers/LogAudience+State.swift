import Foundation

extension LogAudience {
  struct Subscriber {
    let number: UInt64
    /// The number of the last event that was delivered before the subscriber joined.
    let joined: UInt64
    let subscriber: any Sendable
    let receive: @Sendable (DecodedEntry) -> Void
  }

  struct LoopState {
    let loop: LogLoop
    /// The number of the last event that was delivered before the loop joined.
    let joined: UInt64
    /// The number of the last event that the loop has handled.
    var handled: UInt64
  }

  /// The result of the departure of a member.
  enum Departure {
    /// No member is left.
    case last

    /// The remaining members have not received all events that the departed one left unhandled.
    ///
    /// Reading continues at the first of these events, for the generation that has begun.
    case leavingEvents(generation: Int)

    /// The remaining members continue, and `isDrainDue` indicates whether reading waited for the departed one.
    case leavingNothing(isDrainDue: Bool)
  }

  /// The result of a delivery.
  enum Delivery {
    /// A member has received the event.
    case received

    /// No member has received the event.
    case notReceived

    /// The event must be delivered later, because a new member waits for an older one; see ``State/isWaiting``.
    case postponed

    /// The remaining members have not received all events that a departed one left unhandled.
    case leavingEvents(generation: Int)
  }

  struct State {
    /// A Boolean value that indicates whether an unhandled event is delivered again.
    let isKeepingEvents: Bool
    /// The subscribers, in the order in which they joined.
    var subscribers: [Subscriber] = []
    var lastNumber: UInt64 = 0
    /// The loops, in the order in which they joined.
    var loops: [LoopState] = []
    var cursor = LogCursor()
    /// The number of events that have been delivered.
    var ordinal: UInt64 = 0
    /// The events that were given to loops and that not all of them have handled, in order.
    var unhandled: [(ordinal: UInt64, producer: UUID, position: LogPosition)] = []
    /// The number of the unhandled event that subscribers are receiving now.
    var current: UInt64?
    /// A Boolean value that indicates whether reading waits until a loop asks for more.
    var isPaused = false
    var isSaveDue = false
    /// A Boolean value that indicates whether reading waits until the process is resumed.
    var isSuspended = false
    /// The producers that still have segments; empty if they are not known.
    var producers: Set<UUID> = []
    /// The number of the current generation, which begins when a member joins an empty audience, or by an interruption.
    ///
    /// Events that were read for one generation are not delivered to the next.
    var generation = 0
    /// The number of the contents that the cursor belongs to.
    var switchCount = 0

    var isEmpty: Bool { subscribers.isEmpty && loops.isEmpty }

    mutating func beginGenerationIfEmpty() -> Int? {
      guard isEmpty else { return nil }
      generation += 1
      return generation
    }

    /// A Boolean value that indicates whether a new member waits until the older ones have handled all events that were
    /// delivered before it joined.
    ///
    /// If an older member leaves instead, the new one receives these events. It must not have received later ones.
    var isWaiting: Bool {
      guard isKeepingEvents, let oldest = unhandled.first?.ordinal else { return false }
      return oldest <= max(subscribers.last?.joined ?? 0, loops.last?.joined ?? 0)
    }

    /// A Boolean value that indicates whether an unhandled event was delivered to none of the members.
    private var hasOrphans: Bool {
      guard isKeepingEvents, let oldest = unhandled.first?.ordinal, oldest != current else { return false }
      return oldest <= min(subscribers.first?.joined ?? .max, loops.first?.joined ?? .max)
    }

    /// Begins a generation for the current members.
    mutating func interrupt() {
      generation += 1
      isPaused = false
      unhandled = []
    }

    /// Begins a generation if an unhandled event was delivered to none of the members, and records the events that all
    /// loops have handled if not.
    ///
    /// - Returns: The loops whose buffers must be dropped, or `nil` if no generation has begun.
    mutating func settleOrInterrupt(_ acknowledgement: LogAcknowledgement) -> [LogLoop]? {
      if !isEmpty, hasOrphans {
        interrupt()
        return loops.map(\.loop)
      }
      settle(acknowledgement)
      return nil
    }

    /// Records the events that all loops have handled.
    mutating func settle(_ acknowledgement: LogAcknowledgement) {
      // When the last member leaves, its unhandled events wait for the next one.
      guard !isEmpty else { return unhandled = [] }
      var least = loops.reduce(.max) { min($0, $1.handled) }
      // Its subscribers have not returned yet.
      if let current { least = min(least, current - 1) }
      let count = unhandled.prefix { $0.ordinal <= least }.count
      guard count > 0 else { return }
      if acknowledgement == .automatic {
        for (_, producer, position) in unhandled[..<count] { cursor.handle(position, of: producer) }
      }
      unhandled.removeFirst(count)
    }
  }
}
