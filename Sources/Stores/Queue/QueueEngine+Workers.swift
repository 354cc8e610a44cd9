import Dispatch
import FileSignals
import Signals

extension QueueEngine {
  // MARK: Dead workers

  /// Returns the jobs of workers that have ended to the queue.
  func rescue() {
    rescues.request { [weak self] in self?.rescueNow() }
  }

  private func rescueNow() {
    guard let worker = state.withLock({ $0.worker }), database.isUsable else { return }
    do throws(DatabaseError) {
      let workers = try database.readValue { [name] transaction throws(DatabaseError) in
        try JobTable.workers(of: name, transaction)
      }
      var (dead, areAllSeen): ([(name: String, beat: Int64?, reason: String)], Bool) = ([], true)
      var problem: DatabaseError?
      let oldest = claimLimit.flatMap { limit in beat.map { $0 - Int64(limit.inSeconds * 1_000) } }
      for (other, beat) in workers where other != worker.name {
        do throws(DatabaseError) {
          switch try worker.sight(of: other) {
          case .absent: dead.append((other, nil, "the process ended that worked on it"))
          case .unseen: areAllSeen = false
          case .present: break
          }
        } catch {
          // The jobs of one worker that cannot be examined must not keep those of others.
          problem = error
          areAllSeen = false
        }
        if let oldest, let beat, beat < oldest { dead.append((other, oldest, "the process stopped that worked on it")) }
      }
      if !dead.isEmpty {
        try DatabaseError.only {
          try database.write { transaction in
            guard isCurrent(worker) else { return }
            for (other, beat, reason) in dead {
              try JobTable.release(name, from: other, before: beat, limit: retries.limit, because: reason, transaction)
            }
          }
        }
      }
      if let problem { report(problem) } else { state.withLock { $0.reported = nil } }
      areAllSeen ? retriedRescues.reset() : retriedRescues.request { [weak self] in self?.rescueNow() }
    } catch {
      guard database.isUsable else { return }
      report(error)
      retriedRescues.request { [weak self] in self?.rescueNow() }
    }
  }

  // MARK: Signs of life

  /// The present time for signs of life, in milliseconds since the start of the system; `nil` if they are not needed.
  var beat: Int64? {
    guard claimLimit != nil else { return nil }
    return Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000)
  }

  func startBeating() {
    guard let claimLimit, state.withLock({ !exchange(&$0.isBeating, with: true) }) else { return }
    beatLater(after: max(claimLimit / 3, .milliseconds(1)))
  }

  private func beatLater(after pause: Duration) {
    queue.async(after: pause) { [weak self] in
      guard let self, database.isUsable, let beat else { return }
      let (worker, isWorking) = state.withLock { ($0.worker, !$0.held.isEmpty) }
      if let worker, isWorking {
        do {
          try database.write { [name] transaction in
            try JobTable.renew(name, of: worker.name, beat: beat, transaction)
          }
        } catch {
          if let error = error as? DatabaseError, self.database.isUsable { report(error) }
        }
      }
      rescue()
      beatLater(after: pause)
    }
  }
}
