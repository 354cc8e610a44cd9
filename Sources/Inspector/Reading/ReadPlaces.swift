import AppGroups
import Containers
import Contexts
import FileSignals
import Foundation
import Stores

extension InspectedPresence {
  /// Reads a presence, and leaves out the announcements of ended processes.
  init(_ directory: URL, _ locks: inout InspectedLocks, _ redaction: InspectorRedaction) throws {
    members = []
    for announcement in try PresenceInspection.announcements(in: directory)
    where announcement.isHeld || announcement.isSuspended {
      guard let record = Self.parse(announcement.content), let process = record["process"]?.int else { continue }
      let name = record["name"]?.string ?? "a process"
      let pid = Int32(truncatingIfNeeded: process)
      let shown = record["value"].map { redaction.apply(to: $0) }
      members.append(
        Member(
          id: announcement.id.uuidString, process: locks.holder(pid).process, pid: pid, name: name,
          since: Date(timeIntervalSince1970: Self.seconds(record["since"])),
          suspended: announcement.isSuspended, value: shown?.value,
          redacted: shown.flatMap { $0.places.isEmpty ? nil : $0.places }))
    }
  }

  private static func parse(_ content: Data) -> InspectedValue? {
    do { return try InspectedValue.parse(content) } catch { return nil }
  }

  private static func seconds(_ value: InspectedValue?) -> Double {
    switch value {
    case .number(let number): number
    case .integer(let number): Double(number)
    default: 0
    }
  }
}

extension InspectedDatabase {
  /// Reads a database.
  init(_ url: URL) throws {
    let found = try DatabaseInspection.read(url)
    (schema, journal) = (found.schema, found.journal)
    application = found.applicationID == 0 ? nil : found.applicationID
    bytes = FileStatus.ifReadable(path: url.path)?.size ?? 0
    wal = FileStatus.ifReadable(path: url.path + "-wal")?.size
    shared = found.history != nil
    tables = found.tables.map { Table(name: $0.name, rows: $0.rows, capped: $0.isCapped) }
    history = found.history.map { commits in
      History(first: "\(found.first)", last: "\(found.last)", entries: commits.map(Commit.init))
    }
    queues = found.queues.isEmpty ? nil : found.queues.map(Queue.init)
    guard shared else { return }
    authors = found.authors.map { author in
      Author(
        name: author.name, cursor: "\(author.cursor)",
        lag: Int(clamping: max(0, found.last.subtractingSaturated(author.cursor))), seen: author.seen, running: false)
    }
  }

  /// Adds the processes that write or share the database now.
  mutating func addProcesses(_ url: URL, _ locks: inout InspectedLocks) {
    writer = locks.writer(of: url.path).map { locks.holder($0.processIdentifier) }
    for (index, queue) in (queues ?? []).enumerated() {
      let folder = url.path + "-share/Presence/\(EncodedName.encoded(queue.name, limit: 150))"
      for (number, job) in queue.jobs.enumerated() {
        guard let worker = job.worker else { continue }
        queues?[index].jobs[number].process = locks.holder(at: "\(folder)/\(worker)")?.process
      }
    }
    for index in (authors ?? []).indices {
      guard let name = authors?[index].name else { continue }
      let file = url.path + "-share/\(EncodedName.encoded(name, limit: 150)).author"
      let holder = locks.holder(at: file)
      authors?[index].running = holder != nil
      authors?[index].process = holder?.process
    }
  }
}

extension InspectedDatabase.Queue {
  fileprivate init(_ queue: DatabaseInspection.Queue) {
    let counts = JobState.allCases.map { ("\($0)", queue.counts[$0]) }.filter { $0.1 > 0 }
    self.init(
      name: queue.name, counts: Dictionary(uniqueKeysWithValues: counts),
      jobs: queue.jobs.map { job in
        InspectedDatabase.Job(
          id: "\(job.id)", state: "\(job.state)", attempt: job.attempt, failures: job.failureCount, error: job.error,
          // Another program may have stored any number, and JSON has none for infinity.
          progress: job.progress.map { min(max($0, 0), 1) }, at: job.changed, worker: job.worker)
      })
  }
}

extension InspectedDatabase.Commit {
  fileprivate init(_ commit: DatabaseInspection.Commit) {
    self.init(
      seq: "\(commit.sequence)", author: commit.author,
      process: commit.provenance.map(InspectedLocks.process), cause: commit.provenance?.cause,
      provenance: commit.provenance, at: commit.date, inserted: commit.inserted,
      updated: commit.updated, deleted: commit.deleted, tables: commit.tables,
      everything: commit.isEverything ? true : nil)
  }
}

extension InspectedContainer {
  /// Reads the environments of a root; `nil` if there are none.
  ///
  /// - Parameters:
  ///   - root: The root.
  ///   - hidden: The directory of the records, relative to the root.
  ///   - provenance: Receives who made the last change of them.
  /// - Throws: The reason why they cannot be read.
  init?(_ root: URL, hidden: String, _ provenance: inout Provenance?) throws {
    guard let found = try ContainerInspection.read(root, hidden: hidden) else { return nil }
    provenance = found.provenance
    (active, revision) = (found.active.uuidString, "\(found.revision)")
    environments = found.environments.map { environment in
      Environment(
        id: environment.id.uuidString, name: environment.name, description: environment.description,
        created: environment.createdAt, activated: environment.lastActivatedAt,
        activations: environment.activationCount, active: environment.id == found.active,
        default: environment.isDefault, problem: environment.problem)
    }
    journal = found.journal.map { Journal(moves: $0.moves, text: "A switch is in progress: \($0.moves) entries move.") }
  }
}

extension InspectedSession {
  /// Reads the archive of a session; `nil` if the file is not an archive.
  ///
  /// - Parameters:
  ///   - url: The archive.
  ///   - provenance: Receives who wrote it last.
  /// - Throws: The reason why it cannot be read.
  init?(_ url: URL, _ provenance: inout Provenance?) throws {
    let found: SessionInspection
    if url.pathExtension == "json" {
      let content = try DurableFile.read(url, limit: 64 << 20)
      guard let read = SessionInspection.read(file: content, in: url.deletingLastPathComponent()) else { return nil }
      found = read
    } else {
      found = try SessionInspection.read(database: url)
    }
    provenance = found.provenance
    state = found.user == nil ? .out : .in
    (user, expires, former) = (found.user, found.expiration, found.formerUsers.count)
    (number, generation) = (found.session, found.generation)
    activity = FileStamp.ifReadable(path: url.path)?.date
    renewal = found.renewal.map { Renewal(pid: $0.process, generation: $0.generation) }
  }

  /// Adds what depends on the present moment.
  mutating func refresh(_ url: URL, _ locks: inout InspectedLocks) {
    if state != .out { state = expires.map { $0 <= Date() } == true ? .expired : .in }
    let shared = url.deletingLastPathComponent().appending(path: ".shared")
    holder = locks.holder(at: shared.path + "/refresh.lock") ?? locks.holder(at: shared.path + "/archive.lock")
  }
}

extension FileStamp {
  /// The time of the last change of the content.
  var date: Date { Date(timeIntervalSince1970: Double(modified) / 1e9) }
}
