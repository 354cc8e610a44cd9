import FileSignals
import Foundation

extension InspectorPass {
  /// Records a resource and, unless this is the first pass, its change.
  mutating func put(
    _ resource: InspectedResource, _ operation: InspectorChange.Operation? = nil, _ summary: String = "",
    _ differences: [InspectedDifference] = [], more: Int = 0, count: Int = 1, at date: Date? = nil,
    process: String? = nil, author: String? = nil, provenance: Provenance? = nil
  ) {
    var resource = resource
    found.insert(resource.id)
    let old = state.resources[resource.id]
    resource.rate = old?.rate
    resource.seq = old?.seq ?? "0"
    let process = process ?? provenance.map(InspectedLocks.process)
    let isSame = operation == nil && old?.version == resource.version
    resource.process = process ?? (isSame ? old?.process : nil)
    resource.cause = provenance?.cause ?? (isSame ? old?.cause : nil)
    if let operation, !state.isFirst {
      state.sequence += 1
      resource.seq = "\(state.sequence)"
      update.changes.append(
        InspectorChange(
          sequence: resource.seq, resource: resource.id, kind: resource.kind, operation: operation,
          version: resource.version, at: date ?? Date(),
          process: process, author: author, cause: resource.cause, count: count, summary: summary,
          differences: differences.isEmpty ? nil : differences, more: more > 0 ? more : nil))
      state.rates[resource.id, default: RateCounter()].add(count, at: now)
    }
    if old == resource { return }
    state.resources[resource.id] = resource
    changed[resource.id] = resource
  }

  mutating func removeMissing() {
    guard found.count < state.resources.count else { return }
    remove(Set(state.resources.keys).subtracting(found))
  }

  mutating func remove(_ ids: Set<String>) {
    for id in ids.sorted() {
      let resource = state.resources.removeValue(forKey: id)
      state.values[id] = nil
      state.rates[id] = nil
      update.removed.append(id)
      guard let resource else { continue }
      var summary = "removed"
      if case .lock(let lock) = resource.typedDetails {
        // Locks come and go all the time; only one that a dead process left is worth a line.
        let isDead = lock.holders.allSatisfy { FileStatus.ifReadable(path: "/proc/\($0.pid)") == nil }
        guard SystemLocks.isComplete, isDead, !lock.purpose.hasPrefix("having") else { continue }
        summary = "released by exit: \(lock.purpose)"
      }
      state.sequence += 1
      update.changes.append(
        InspectorChange(
          sequence: "\(state.sequence)", resource: id, kind: resource.kind, operation: .delete, at: Date(),
          summary: summary))
    }
  }

  mutating func buildRates() {
    for id in state.rates.keys {
      guard var counter = state.rates[id], var resource = state.resources[id] else { continue }
      let rate = counter.rate(at: now)
      state.rates[id] = rate == nil ? nil : counter
      guard resource.rate != rate else { continue }
      resource.rate = rate
      state.resources[id] = resource
      changed[id] = resource
    }
  }
}
