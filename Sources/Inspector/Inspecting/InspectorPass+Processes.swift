extension InspectorPass {
  /// Builds the processes from the locks, presences and graphs that name them.
  mutating func buildProcesses(_ locks: inout InspectedLocks) {
    var processes: [Int32: InspectedProcess] = [:]
    func add(_ pid: Int32, _ holder: InspectedHolder) {
      if processes[pid] != nil { return }
      processes[pid] = InspectedProcess(id: holder.process, pid: pid, name: holder.name, stopped: holder.stopped)
    }
    for resource in state.resources.values {
      switch resource.typedDetails {
      case .lock(let lock):
        for holder in lock.holders {
          add(holder.pid, holder)
          processes[holder.pid]?.holds += 1
        }
      case .presence(let presence):
        for member in presence.members {
          add(member.pid, locks.holder(member.pid))
          let known = processes[member.pid]?.presences
          processes[member.pid]?.name = member.name
          processes[member.pid]?.suspended = member.suspended
          processes[member.pid]?.since = member.since
          processes[member.pid]?.presences = (known ?? []) + [resource.id]
        }
      case .graph(let graph):
        add(graph.pid, locks.holder(graph.pid))
        processes[graph.pid]?.publishes = true
      default: break
      }
    }
    let sorted = processes.values.sorted { $0.pid < $1.pid }
    if sorted != state.processes { update.processes = sorted }
    state.processes = sorted
  }
}
