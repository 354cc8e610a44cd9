import AppGroups
import Dispatch
import Foundation
import Signals
import TestSupport

/// The history of a log: events that are appended, and those that a consumer receives.
final class LogHistory: HistoryPlace {
  private let log: AppGroupsLog<Int>
  private let subscriptions: [SignalSubscription]

  init(_ life: HistoryLife) throws {
    let container = try AppGroupsContainer(directory: life.directory.appending(path: "place"))
    log = try AppGroupsLog(name: "log", container: container, limits: LogLimits(segmentSize: 16_384))
    guard !life.isReader else {
      subscriptions = []
      return
    }
    let received = try life.thread(99, capacity: 1_000_000).notes
    let isExplicit = life.worker.isMultiple(of: 2)
    let events = try log.events(
      for: "worker \(life.worker)", acknowledgement: isExplicit ? .explicit : .automatic)
    // Events that are handled a moment later, so that kills come before events are handled and after they are received.
    let (handler, waiting) = (DispatchQueue(label: "handler"), MutableProperty<[LogEntry<Int>]>([]))
    subscriptions = [
      events.failures.sink { life.report("problem \($0)") },
      events.sink { [events] entry in
        guard isExplicit else { return received.saw(.receipt, Int(entry.sequence), entry.event) }
        let isFirst = waiting.modify { entries in
          entries.append(entry)
          return entries.count == 1
        }
        guard isFirst else { return }
        handler.asyncAfter(deadline: .now() + .milliseconds(5)) {
          let entries = waiting.modify { entries in
            defer { entries = [] }
            return entries
          }
          for entry in entries {
            received.saw(.receipt, Int(entry.sequence), entry.event)
            events.acknowledge(entry)
          }
        }
      },
    ]
  }

  func step(_ thread: HistoryThread) throws {
    if thread.chance.once(in: 200) { return try log.trim() }
    let value = thread.fresh()
    try thread.note(.event, 0, value) { try Int(log.append(value).sequence) }
  }

  func readAll(_ thread: HistoryThread) throws {}

  func settle(_ thread: HistoryThread) async throws {}
}
