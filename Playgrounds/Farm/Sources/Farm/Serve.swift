import ArgumentParser
import FarmKit
import Foundation
import SignalsKit

/// The daemon: it keeps as many workers as the settings say, and ends them when it is asked to end.
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Keeps the workers running, as many as the settings say.")
  @OptionGroup var place: Place

  private enum Event {
    /// No other daemon keeps workers any more.
    case leads
    case ends(ProcessSignal)
  }

  func run() async throws {
    try await place.run { farm in
      let (events, event) = AsyncStream.makeStream(of: Event.self)
      let signals = try ProcessSignals([.terminate, .interrupt]).sink { event.yield(.ends($0)) }
      let ended = DispatchSemaphore(value: 0)
      // One daemon keeps workers, and others stand by. The kernel releases the lock of one that ends, however it ends.
      let turn = Task {
        try await DurableFile.withLock(on: farm.home.containerURL.appending(path: "serve")) {
          event.yield(.leads)
          ended.wait()
        }
      }
      let supervisor = Supervisor(farm: farm, home: place.home)
      var settings: SignalSubscription?
      events: for await event in events {
        switch event {
        case .leads:
          farm.log(.info, "keeps the workers")
          settings = farm.settings.sink { supervisor.keep($0.workers) }
        case .ends(let signal):
          farm.log(.info, "\(signal): the workers end")
          break events
        }
      }
      // The workers end first, and the lock is released last, so that the next daemon finds none of them.
      settings?.cancel()
      signals.cancel()
      await supervisor.end()
      turn.cancel()
      ended.signal()
      _ = await turn.result
    }
  }
}

/// Starts workers, and starts each again that ends by itself, after pauses that grow while it keeps ending.
final class Supervisor: Sendable {
  private let farm: Farm
  private let home: String
  private let state = MutableProperty<[Int: Task<Void, Never>]>([:])

  init(farm: Farm, home: String) {
    (self.farm, self.home) = (farm, home)
  }

  /// Changes the number of workers.
  func keep(_ count: Int) {
    state.modify { workers in
      for number in 0..<max(count, 0) where workers[number] == nil {
        workers[number] = Task { await supervise() }
      }
      for number in workers.keys where number >= count { workers.removeValue(forKey: number)?.cancel() }
    }
  }

  /// Ends all workers, and waits for them.
  func end() async {
    let workers = state.value.values
    for worker in workers { worker.cancel() }
    for worker in workers { await worker.value }
  }

  private func supervise() async {
    var pauses = Backoff.exponential(from: .milliseconds(100), upTo: .seconds(30), jitter: 0.2).pauses()
    while !Task.isCancelled {
      let began = ContinuousClock.now
      do {
        let status = try await run()
        if Task.isCancelled { return }
        farm.log(.error, "a worker ended with \(status)")
      } catch {
        farm.log(.error, "a worker could not be started: \(error)")
      }
      if ContinuousClock.now - began > .seconds(10) { pauses.reset() }
      // A cancelled pause ends the loop.
      try? await Task.sleep(for: pauses.next() ?? .seconds(30))
    }
  }

  /// Runs a worker until it ends; a cancelled task asks it to end.
  private func run() async throws -> CInt {
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    process.arguments = ["work", "--home", home]
    let (ends, end) = AsyncStream.makeStream(of: CInt.self)
    process.terminationHandler = { end.yield($0.terminationStatus) }
    try process.run()
    let number = process.processIdentifier
    return await withTaskCancellationHandler {
      // The loop waits for the end, also when the task is cancelled.
      await Task {
        for await status in ends { return status }; return -1
      }.value
    } onCancel: {
      kill(number, SIGTERM)
    }
  }
}
