import AppGroups
import CLibrary
import FileSignals
import Foundation
import Signals
import TestSupport

/// A random program: processes that change and observe one sealed value, and faults that happen to it.
///
/// A *storm* rages while all processes work, and loses no change. So does a *blast*, but other programs destroy the
/// stored value. A *trouble* stays until every observer has reported it. After each, all must have the final value.
final class FaultWorld {
  private(set) var story: [String] = []
  private(set) var breaches: [String] = []

  private var chance: Chance
  private let site: FaultSite
  private let isMounted: Bool
  private let container: AppGroupsContainer
  private let file: AppGroupsFile<Sealed>
  private let otherFile: AppGroupsFile<Sealed>
  private var subscriptions: Set<SignalSubscription> = []
  private var here: [Witness] = []
  private let observer: PeerProcess
  private var workers: [Worker] = []
  private var epoch = 0

  /// The number of increments by this process itself in this epoch.
  private var added = 0

  /// Starts all processes.
  init(seed: UInt64, directory: URL, isMounted: Bool) async throws {
    chance = Chance(seed: seed)
    self.isMounted = isMounted
    container = try AppGroupsContainer(directory: directory.appending(path: "container"))
    site = FaultSite(container: container.containerURL, name: "sealed.json")
    file = try AppGroupsFile(name: site.name, initialValue: Sealed(), container: container)
    otherFile = try AppGroupsFile(name: site.name, initialValue: Sealed(), container: container)
    try await file.update { $0.increment(by: "test") }
    added = 1
    try site.clear()
    let path = container.containerURL.path
    observer = try await Self.peer(path, site.name, .process)
    here = [
      .here("first here", file, &subscriptions), .here("second here", otherFile, &subscriptions),
    ]
    for name in ["a", "b", "c"] {
      let durability = chance.once(in: 4) ? Durability.storage : .process
      workers.append(try await Worker(name) { [name = site.name] in try await Self.peer(path, name, durability) })
    }
  }

  private static func peer(_ path: String, _ name: String, _ durability: Durability) async throws -> PeerProcess {
    let peer = try PeerProcess()
    if geteuid() == 0 { try await peer.send("user \(FaultSite.user)") }
    try await peer.send("sealed \(path) \(name) \(durability)")
    try await peer.send("follow-sealed")
    return peer
  }

  private var there: [Witness] {
    [.there("observer", observer)] + workers.map { .there($0.name, $0.peer) }
  }

  private var witnesses: [Witness] { here + there }

  // MARK: The program

  /// Runs a number of rounds, or until a promise is broken.
  func run(rounds: Int) async throws {
    try await converge()
    let descriptors = try await observer.send("descriptors")
    for round in 0..<rounds where breaches.isEmpty {
      switch chance.number(below: 10) {
      case 0..<4: try await storm()
      case 4..<7: try await trouble()
      default: try await blast()
      }
      tell("round \(round) is over")
      collectBreaches()
    }
    guard breaches.isEmpty else { return }
    try await expectDescriptors(descriptors)
    try expectTidy()
  }

  private func storm() async throws {
    tell("storm")
    var faults = pick(Fault.gentle.filter { isMounted || !Fault.ofDisks.contains($0) }, 1 + chance.number(below: 4))
    // Together, they could lead a writer to commit bytes that it did not write.
    if faults.contains(.temporaryRemoved) { faults.removeAll { $0 == .staleTemporary } }
    try await startWork()
    for fault in faults {
      tell("\(fault)")
      try await pause(5_000)
      switch fault {
      case .killing: try await kill()
      case .freezing: try await freeze(workers[chance.number(below: workers.count)].peer)
      case .freezingAnObserver: try await freeze(observer)
      case .overflow:
        observer.signal(SIGSTOP)
        site.flood()
        observer.signal(SIGCONT)
      case .limitingSizes:
        let peer = workers[chance.number(below: workers.count)].peer
        try await peer.send("limit 200")
        try await pause(10_000)
        try await peer.send("limit 0")
      case .readOnlyDisk: try await makeDiskReadOnly()
      default:
        site.make(fault)
        try await pause(10_000)
        site.unmake(fault)
      }
    }
    for worker in workers { try await worker.halt() }
    // A process that had read the old mode before may have given it to the new file.
    for fault in faults { site.unmake(fault) }
    let value = try file.read()
    for worker in workers where value.tally[worker.name, default: 0] != worker.base {
      breaches.append("\(worker.name) did \(worker.base) increments, of which \(value) knows")
    }
    if value.tally["test", default: 0] != added { breaches.append("\(added) increments here, of which \(value) knows") }
    try await converge()
  }

  private func blast() async throws {
    tell("blast")
    for witness in witnesses { try await witness.tell("lawful 0") }
    try await startWork()
    for fault in pick(Fault.violent, 1 + chance.number(below: 3)) {
      tell("\(fault)")
      try await pause(5_000)
      switch fault {
      case .replaced: site.replace(with: try encoded(Sealed(epoch: epoch, tally: ["foreign": 1])))
      case .rewritten: site.rewrite(with: try encoded(Sealed(epoch: epoch, tally: ["foreign": 2])))
      default: site.make(fault)
      }
      try await pause(20_000)
      if !chance.once(in: 4) { site.unmake(fault) }
    }
    for worker in workers { try await worker.halt() }
    try await heal()
    for witness in witnesses { try await witness.tell("lawful 1") }
  }

  private func trouble() async throws {
    let fault = pick(Fault.allCases.filter { $0.dueReport != nil }, 1)[0]
    guard let due = fault.dueReport else { return }
    tell("trouble: \(fault)")
    let concerned = fault.sparesRoot && geteuid() == 0 ? there : witnesses
    let marks = concerned.map(\.reports.elements.count)
    let value = file.value
    site.make(fault)
    for (witness, mark) in zip(concerned, marks) {
      try await witness.report(after: mark, "status", containing: due)
      try await witness.report(after: mark, "failure", containing: "")
    }
    if file.value != value { breaches.append("\(fault): \(file.value) took the place of the last good value \(value)") }
    try await heal()
  }

  // MARK: Faults of processes

  private func kill() async throws {
    let victim = workers[chance.number(below: workers.count)]
    try await victim.kill()
    let tally = try file.read().tally[victim.name, default: 0]
    let done = victim.base + victim.done
    if tally != done, tally != done + 1 {
      breaches.append("\(victim.name) was killed after \(done) increments, and \(tally) are there")
    }
    collectBreaches()
    try await victim.revive(tally: tally)
    try await victim.work(.increasing, size: 100)
  }

  private func freeze(_ peer: PeerProcess) async throws {
    peer.signal(SIGSTOP)
    try await pause(20_000)
    // Reads wait for no process, even if the frozen one holds the lock.
    if try !file.read().isWhole { breaches.append("read half a value") }
    peer.signal(SIGCONT)
  }

  private func makeDiskReadOnly() async throws {
    let disk = site.container.deletingLastPathComponent().path
    do {
      try await shell(#"mount -o remount,ro "$1" 2> /dev/null"#, disk)
    } catch {
      // The system rejects it while a writer is active.
      return
    }
    try await pause(10_000)
    try await shell(#"mount -o remount,rw "$1""#, disk)
  }

  // MARK: Afterwards

  private func startWork() async throws {
    for worker in workers {
      try await worker.work(.increasing, size: chance.once(in: 3) ? chance.number(below: 100_000) : 100)
    }
  }

  /// Restores good content in one of the ways in which this happens.
  private func heal() async throws {
    try site.clear()
    epoch += 1
    added = 0
    for worker in workers { worker.reset() }
    let value = Sealed(epoch: epoch)
    if chance.once(in: 2) {
      tell("healed by another program")
      site.replace(with: try encoded(value))
    } else {
      tell("healed by a write")
      try await file.write(value)
      try site.clear()
    }
    try await converge()
  }

  /// Changes the value once more, and waits until every observer has it.
  private func converge() async throws {
    let value = try await file.update { value in
      value.increment(by: "test")
      return value
    }
    added += 1
    for witness in witnesses { try await witness.converge(epoch: epoch, count: value.count) }
    for (file, name) in [(file, "first"), (otherFile, "second")] {
      if file.value != value { breaches.append("\(name) has \(file.value) instead of \(value)") }
      try await file.status.firstValue("\(name) to be current again") { $0 == .current }
      try await file.health.firstValue("\(name) to see again") { $0 == .active }
    }
  }

  private func expectDescriptors(_ count: String) async throws {
    var now = ""
    // A read of the file may be in progress.
    for _ in 0..<500 {
      now = try await observer.send("descriptors")
      if now == count { break }
      try await Task.sleep(for: .milliseconds(10))
    }
    if now != count { breaches.append("the observer had \(count) descriptors, and has \(now)") }
    let threads = try await observer.send("threads")
    if Int(threads).map({ $0 > 32 }) ?? true { breaches.append("the observer has \(threads) threads") }
  }

  private func expectTidy() throws {
    let beside = try FileManager.default.contentsOfDirectory(atPath: site.files.appending(path: ".shared").path)
    if beside.contains(where: { $0.hasSuffix(".tmp") }) { breaches.append("left beside the file: \(beside)") }
    var status = stat()
    stat(site.file.path, &status)
    if status.st_mode & 0o777 != 0o600 { breaches.append("the mode is \(String(status.st_mode, radix: 8))") }
  }

  private func collectBreaches() {
    breaches += witnesses.flatMap(\.breaches)
  }

  // MARK: Help

  private func tell(_ line: String) {
    story.append(line)
  }

  private func pick(_ faults: [Fault], _ count: Int) -> [Fault] {
    (0..<count).map { _ in faults[chance.number(below: faults.count)] }
  }

  /// Pauses for a random time of at most the given microseconds.
  private func pause(_ most: Int) async throws {
    try await Task.sleep(for: .microseconds(chance.number(below: most)))
  }

  private func encoded(_ value: Sealed) throws -> Data {
    try JSONEncoder().encode(value)
  }
}
