import CoreMetrics
import Inspector
import Synchronization

/// The metrics of an inspector, and the resources from which they are computed.
final class MetricsReporter: Sendable {
  private let factory: any MetricsFactory
  private let kinds: Set<InspectedResource.Kind>
  private let state: Mutex<State>

  private struct State {
    var names: BoundedNames
    var counters: [Series: Counter] = [:]
    var gauges: [Series: SummedGauge] = [:]
    /// The gauges to which each resource contributes.
    var contributions: [String: Set<Series>] = [:]
    /// The last number of changes of each signal, by the identifiers of the graph and the node.
    var signals: [String: [String: Int]] = [:]
    var isOver = false
  }

  /// A gauge that shows the sum of what several resources contribute.
  private struct SummedGauge {
    let gauge: Gauge
    var parts: [String: Double] = [:]
  }

  init(_ factory: any MetricsFactory, kinds: Set<InspectedResource.Kind>, limit: Int) {
    (self.factory, self.kinds) = (factory, kinds)
    state = Mutex(State(names: BoundedNames(limit: limit)))
  }

  /// Reports a whole snapshot, which is taken after no update can be missed any more.
  func begin(_ snapshot: () -> InspectorSnapshot) {
    state.withLock { state in
      let snapshot = snapshot()
      for resource in snapshot.resources { take(resource, &state) }
      total("signals_processes", snapshot.processes.count, &state)
      total("signals_problems", snapshot.problems.count, &state)
    }
  }

  func take(_ update: InspectorUpdate) {
    state.withLock { state in
      if state.isOver { return }
      for change in update.changes where kinds.contains(change.kind) && change.kind != .graph {
        let name = change.resource.dropFirst(change.kind.rawValue.count + 1)
        count(change.count, change.operation, kind: change.kind.rawValue, name: String(name), &state)
      }
      for resource in update.resources { take(resource, &state) }
      for id in update.removed {
        contribute([:], id, &state)
        state.signals[id] = nil
      }
      if let processes = update.processes { total("signals_processes", processes.count, &state) }
      if let problems = update.problems { total("signals_problems", problems.count, &state) }
    }
  }

  func end() {
    state.withLock { state in
      state.isOver = true
      for counter in state.counters.values { counter.destroy() }
      for gauge in state.gauges.values { gauge.gauge.destroy() }
      (state.counters, state.gauges, state.contributions) = ([:], [:], [:])
    }
  }

  // MARK: Resources

  private func take(_ resource: InspectedResource, _ state: inout State) {
    guard kinds.contains(resource.kind), !state.isOver else { return }
    let details = resource.details
    if resource.kind == .graph { return countSignals(resource.id, details, &state) }
    let (kind, name) = (resource.kind.rawValue, String(resource.id.dropFirst(resource.kind.rawValue.count + 1)))
    var values: [Series: Double] = [:]
    func set(
      _ label: String, _ value: Int, _ dimensions: KeyValuePairs<String, String>, detail: (String, String)? = nil
    ) {
      values[state.names.series(label, dimensions, detail: detail), default: 0] += Double(value)
    }
    if let size = details["bytes"]?.int ?? resource.size {
      set("signals_size_bytes", size, ["kind": kind, "name": name])
    }
    if let members = details["members"]?.array { set("signals_present_processes", members.count, ["name": name]) }
    for consumer in details["consumers"]?.array ?? [] {
      guard let lag = consumer["lag"]?.int else { continue }
      set("signals_lag_events", lag, ["name": name, "consumer": consumer["name"]?.string ?? ""])
    }
    for queue in details["queues"]?.array ?? [] {
      for member in ["waiting", "delayed", "running", "failed", "finished"] {
        let count = queue["counts"]?[member]?.int ?? 0
        set("signals_jobs", count, ["name": name, "queue": queue["name"]?.string ?? ""], detail: ("state", member))
      }
    }
    contribute(values, resource.id, &state)
  }

  /// Counts the changes of published signals since the last time.
  private func countSignals(_ id: String, _ details: InspectedValue, _ state: inout State) {
    var numbers: [String: Int] = [:]
    let last = state.signals[id]
    for node in details["nodes"]?.array ?? [] where node["internal"] != true {
      guard let number = node["id"]?.string, let name = node["name"]?.string,
        let changes = node["changes"]?.string.flatMap(Int.init)
      else { continue }
      numbers[number] = changes
      // The changes that an unknown process made before are not news.
      guard let last, changes > last[number] ?? 0 else { continue }
      count(changes - (last[number] ?? 0), .update, kind: "signal", name: name, &state)
    }
    state.signals[id] = numbers
  }

  // MARK: Metrics

  private func count(
    _ number: Int, _ operation: InspectorChange.Operation, kind: String, name: String, _ state: inout State
  ) {
    let series = state.names.series(
      "signals_changes_total", ["kind": kind, "name": name], detail: ("operation", operation.rawValue))
    let counter =
      state.counters[series]
      ?? Counter(
        label: series.label, dimensions: series.pairs, factory: factory)
    state.counters[series] = counter
    counter.increment(by: number)
  }

  private func total(_ label: String, _ number: Int, _ state: inout State) {
    if !state.isOver { contribute([Series(label: label): Double(number)], label, &state) }
  }

  /// Replaces what a resource contributes to gauges.
  private func contribute(_ values: [Series: Double], _ id: String, _ state: inout State) {
    for series in (state.contributions[id] ?? []).subtracting(values.keys) {
      guard var gauge = state.gauges.removeValue(forKey: series) else { continue }
      gauge.parts[id] = nil
      if gauge.parts.isEmpty {
        gauge.gauge.destroy()
      } else {
        record(gauge, series, &state)
      }
    }
    for (series, value) in values {
      var gauge =
        state.gauges[series]
        ?? SummedGauge(
          gauge: Gauge(label: series.label, dimensions: series.pairs, factory: factory))
      if gauge.parts.updateValue(value, forKey: id) != value { record(gauge, series, &state) }
    }
    state.contributions[id] = values.isEmpty ? nil : Set(values.keys)
  }

  private func record(_ gauge: SummedGauge, _ series: Series, _ state: inout State) {
    state.gauges[series] = gauge
    gauge.gauge.record(gauge.parts.values.reduce(0, +))
  }
}
