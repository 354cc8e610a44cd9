public import CoreMetrics
public import Inspector
public import Signals

extension Inspector {
  /// Reports the counts of the inspector as metrics, until the returned token is released.
  ///
  /// | metric | dimensions | meaning |
  /// |---|---|---|
  /// | `signals_changes_total` | `kind`, `name`, `operation` | a counter of the changes since this call |
  /// | `signals_size_bytes` | `kind`, `name` | the size of a file, suite, log or database |
  /// | `signals_lag_events` | `name`, `consumer` | the events of a log that a consumer has not handled |
  /// | `signals_jobs` | `name`, `queue`, `state` | the jobs of a work queue |
  /// | `signals_present_processes` | `name` | the processes in a presence |
  /// | `signals_processes` | | the processes that take part in the group |
  /// | `signals_problems` | | the places that cannot be inspected |
  ///
  /// The `kind` is that of an ``InspectedResource``. For a signal that processes publish, it is `signal`, and the name
  /// is the one of its registration. The `operation` is `insert`, `update`, `delete` or `append`: the events of a log
  /// are appended, and an update of a log concerns its consumers. A backend computes rates from the counter.
  ///
  /// - **Cardinality:** At most `limit` combinations of kind, name, consumer and queue are reported by themselves, the
  ///   first ones that appear. Each keeps its place, also when it has gone. All others are added up under the name
  ///   `other`. Process identifiers are not a part of any dimension.
  /// - **One reporter:** Call this in one process of a group, such as its daemon. Otherwise each change is counted once
  ///   in each process.
  /// - **Threads:** The metrics are changed on the queue of the inspector.
  ///
  /// - Parameters:
  ///   - factory: The factory of the metrics.
  ///   - kinds: The kinds of resources to report. The names of sessions may be personal, and locks and flags are many,
  ///     so they are reported only if you ask for them.
  ///   - limit: The largest number of combinations that are reported by themselves.
  /// - Returns: A token that ends the reports and destroys the metrics when it is cancelled or released.
  public func reportMetrics(
    to factory: any MetricsFactory = MetricsSystem.factory,
    kinds: Set<InspectedResource.Kind> = [.file, .suite, .log, .presence, .database, .graph], limit: Int = 200
  ) -> SignalSubscription {
    let reporter = MetricsReporter(factory, kinds: kinds, limit: limit)
    let subscription = updates.sink { reporter.take($0) }
    // Updates may have come before this snapshot, and are a part of it. Those that come later repeat what it has.
    reporter.begin { value }
    return SignalSubscription {
      subscription.cancel()
      reporter.end()
    }
  }
}
