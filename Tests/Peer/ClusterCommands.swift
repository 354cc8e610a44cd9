import Cluster
import Foundation
import Signals
import Synchronization

/// A number that the processes of several machines count.
///
/// - `cluster URLS KEY SECONDS`: follow the number KEY at the URLS, which commas separate; a change may take SECONDS
/// - `cluster-add N`: increment it N times, and return the number of changes that are uncertain
/// - `cluster-reach N`: wait until it is at least N, and return it; it is an error if a received number was not larger
///   than the one before
final class ClusterCommands: CommandFamily {
  private var number: ClusterValue<Int>?
  private var subscription: SignalSubscription?
  private let order = Order()

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "cluster":
      let arguments = try command.arguments(3)
      let endpoints = arguments[0].split(separator: ",").compactMap { URL(string: String($0)) }
      let options = ClusterOptions(
        deadline: .seconds(try command.number(arguments[2])), patience: .seconds(3), sessionTime: .seconds(60),
        backoff: .exponential(from: .milliseconds(20), upTo: .milliseconds(500), jitter: 0.5))
      let cluster = try EtcdCluster(endpoints: endpoints, namespace: "fleet", options: options)
      let number = ClusterValue(key: arguments[1], initialValue: 0, cluster: cluster)
      self.number = number
      subscription = number.sink { [order] in order.receive($0) }
    case "cluster-add":
      let (number, count) = (try opened(), try command.number(command.argument()))
      let uncertain = MutableProperty(0)
      try wait {
        for _ in 0..<count {
          do {
            try await number.update { $0 += 1 }
          } catch ClusterError.uncertain {
            uncertain.value += 1
          }
        }
      }
      return "\(uncertain.value)"
    case "cluster-reach":
      let (number, goal) = (try opened(), try command.number(command.argument()))
      let reached = MutableProperty(0)
      try wait {
        for await value in number.values where value >= goal {
          reached.value = value
          break
        }
      }
      guard order.isKept else { throw CommandError(description: "a number was not larger than the one before") }
      return "\(reached.value)"
    default: return nil
    }
    return ""
  }

  private func opened() throws -> ClusterValue<Int> {
    guard let number else { throw CommandError(description: "no cluster is open") }
    return number
  }
}

/// Checks that each received number is larger than the one before.
private final class Order: Sendable {
  private let last = Atomic(-1)
  private let isBroken = Atomic(false)

  var isKept: Bool { !isBroken.load(ordering: .acquiring) }

  func receive(_ number: Int) {
    if number <= last.exchange(number, ordering: .acquiringAndReleasing) { isBroken.store(true, ordering: .releasing) }
  }
}
