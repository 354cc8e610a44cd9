import Dispatch
import FileSignals
import Foundation
import Signals

/// Keeps the present processes in memory, in step with the directory.
final class PresenceEngine<Value: Codable & Sendable>: Sendable {
  let directory: PresenceDirectory
  private let coding: FileCoding

  let present = MutableProperty<[PresentProcess<Value>]>([])
  let isAnyonePresent = MutableProperty(false)
  let failures: FailureRelay<AppGroupsFileError>

  private struct State {
    /// The announcements at the last read.
    var known: PresenceDirectory.Contents = [:]
    /// The processes of these announcements, except this one.
    var others: Set<Int32> = []
    /// The numbers of the latest read that has begun, of the latest one that has returned, and of the latest one whose
    /// result counts.
    ///
    /// Reads are numbered in the order in which they begin, and several may be under way.
    var looks = (begun: 0, returned: 0, ended: 0)
    var reported: AppGroupsFileError?
    /// The unreadable announcements that have been reported.
    var forbidden: Set<UUID> = []

    // MARK: Only the queue uses these

    var suspects: Set<UUID> = []
    var round = 0
  }

  private let state = Guarded(State())
  private let queue = DispatchQueue(label: "org.signals.presence", qos: .userInitiated)
  let changes: any ChangeSource
  private let subscription = Guarded<SignalSubscription?>(nil)
  private let resuming = Guarded<SignalSubscription?>(nil)
  private let exits = ProcessExits()

  /// Reads the directory once for all changes that have come until then.
  private let looks: DelayedCall
  /// Reads a directory again that could not be read, as long as that lasts.
  private let retries: DelayedCall

  /// Checks whether suspended processes still exist, because no event reports their end.
  private let checks: DelayedCall

  /// The pauses between checks of a process whose file was closed while its lock was still held.
  ///
  /// The kernel closes a file shortly before it releases the lock. On a busy machine, the interval may be long.
  private static var suspicion: Backoff {
    .exponential(from: .milliseconds(1), upTo: .milliseconds(4_096), factor: 4, limit: 7)
  }

  var health: Property<WatchHealth> { changes.health }

  /// Follows the directory of a presence.
  convenience init(_ directory: PresenceDirectory, coding: FileCoding) throws(AppGroupsFileError) {
    let changes = try translating(PathChanges(directory: directory.url), by: AppGroupsFileError.unobservable)
    try self.init(directory, coding: coding, changes: changes)
  }

  /// Follows a presence through changes of its directory.
  init(_ directory: PresenceDirectory, coding: FileCoding, changes: any ChangeSource) throws(AppGroupsFileError) {
    self.directory = directory
    failures = FailureRelay(of: "AppGroupsPresence", directory.url.path, replay: 16)
    self.coding = coding
    self.changes = changes
    looks = DelayedCall(.constant(.zero), on: queue)
    retries = DelayedCall(.unreadable, on: queue)
    checks = DelayedCall(.constant(.seconds(1)), on: queue)
    // The observation begins before the first read, so that no later change is missed.
    let subscription = changes.sink { [weak self] change in self?.receive(change) }
    self.subscription.withLock { $0 = subscription }
    // Throws errors that a later read would only send to subscribers.
    do throws(AppGroupsFileError) {
      _ = try directory.contents(suspended: isSuspended)
    } catch {
      guard case .suspended = error else { throw error }
    }
    let resuming = Suspensions.shared.add(self, at: directory.url)
    self.resuming.withLock { $0 = resuming }
    directory.removeLitter()
    look()
    // The end of a process that was about to end when the observation began may cause no event.
    queue.async { [weak self] in self?.suspectEveryone() }
  }

  /// Encodes the record of an announcement.
  func encode(_ record: PresenceRecord<Value>, as id: UUID) throws(AppGroupsFileError) -> Data {
    try translating(coding.encode(record)) { (error: any Error) in
      AppGroupsFileError.unencodable(directory.place(of: id), reason: CodingReason.words(for: error))
    }
  }

  // MARK: Events

  private func receive(_ change: PathChange) {
    queue.async { [weak self] in self?.take(change) }
  }

  private func take(_ change: PathChange) {
    if change.isIncomplete {
      suspectEveryone()
    } else {
      // A process has closed a file, perhaps because it died. New files may be closed already, too, because the changes
      // of one burst are reported together.
      let touched = Set(change.touched.compactMap(UUID.init(uuidString:)))
      if !touched.isEmpty { suspect(touched) }
    }
    looks.request { [weak self] in self?.look() }
  }

  private func suspectEveryone() {
    let everyone = state.withLock { Set($0.known.keys) }
    if !everyone.isEmpty { suspect(everyone) }
  }

  /// Reads the directory repeatedly for a while, until these announcements are gone.
  private func suspect(_ ids: Set<UUID>) {
    let round = state.withLock { state in
      state.suspects.formUnion(ids)
      state.round += 1
      return state.round
    }
    lookAgain(round, Self.suspicion.pauses())
  }

  private func lookAgain(_ round: Int, _ pauses: Backoff.Pauses) {
    var pauses = pauses
    guard let pause = pauses.next() else {
      return state.withLock { if $0.round == round { $0.suspects = [] } }
    }
    queue.async(after: pause) { [weak self, pauses] in
      // A newer round covers all of them.
      guard let self, state.withLock({ $0.round == round }) else { return }
      look()
      let isSuspicious = state.withLock { state in
        state.suspects = state.suspects.filter { state.known[$0] != nil }
        return !state.suspects.isEmpty
      }
      if isSuspicious { lookAgain(round, pauses) }
    }
  }

  // MARK: Looking

  /// Reads and decodes all announcements, without regard to what is known.
  func read() throws(AppGroupsFileError) -> [PresentProcess<Value>] {
    var hidden: AppGroupsFileError?
    let contents = try directory.contents(suspended: isSuspended) { _, error in hidden = error }
    let decoded = decode(contents)
    if let problem = hidden ?? decoded.failures.values.first { throw problem }
    return decoded.people
  }

  func isPresent(_ id: UUID) throws(AppGroupsFileError) -> Bool {
    try directory.isPresent(id, suspended: isSuspended)
  }

  /// Reads the directory, and sends changes.
  func look() {
    let found = find()
    if found.isReadable { retries.reset() }
    if found.isRetryDue { retries.request { [weak self] in self?.look() } }
    var problems = found.problems
    // No lock is held, because the types of users decode themselves.
    if let contents = found.contents { problems += settle(found.number, contents, decode(contents)) }
    problems.forEach(failures.send)
    observeExits()
  }

  /// The result of reading the directory.
  private struct Found {
    var number = 0
    /// All announcements; `nil` if they have not changed.
    var contents: PresenceDirectory.Contents?
    var problems: [AppGroupsFileError] = []
    var isReadable = true
    /// A Boolean value that indicates whether the directory may become readable without an event.
    var isRetryDue = false
  }

  private func find() -> Found {
    let number = state.withLock { state in
      state.looks.begun += 1
      return state.looks.begun
    }
    // No lock is held, because the codings of users find out who is suspended.
    var hidden: [(id: UUID, error: AppGroupsFileError)] = []
    let result = Result { () throws(AppGroupsFileError) in
      try directory.contents(suspended: isSuspended) { hidden.append(($0, $1)) }
    }
    return state.withLock { state in
      var found = Found(number: number)
      let isLatest = number > state.looks.returned
      if isLatest { state.looks.returned = number }
      switch result {
      case .success(let contents):
        if isLatest {
          found.problems = hidden.filter { !state.forbidden.contains($0.id) }.map(\.error)
          state.forbidden = Set(hidden.map(\.id))
          state.reported = nil
        }
        if contents == state.known {
          // An earlier read that is still being decoded is outdated.
          state.looks.ended = max(state.looks.ended, number)
        } else {
          found.contents = contents
        }
      case .failure(.suspended):
        // The directory is read again after this process is resumed.
        break
      case .failure(let error):
        // The previous announcements stay.
        found.isReadable = false
        guard isLatest else { break }
        if error != state.reported { found.problems.append(error) }
        state.reported = error
        found.isRetryDue = error.mayPassUnseen
      }
      return found
    }
  }

  /// Applies the result of a read and sends it, unless a later read was faster.
  ///
  /// - Returns: The new problems with announcements.
  private func settle(
    _ number: Int, _ contents: PresenceDirectory.Contents, _ decoded: Decoded
  ) -> [AppGroupsFileError] {
    var people: StagedValue<[PresentProcess<Value>]>?
    var anyone: StagedValue<Bool>?
    var isDoubtful = false
    let others = Set(decoded.people.lazy.filter { !$0.isThisProcess }.map(\.processIdentifier))
    let problems = state.withLock { state -> [AppGroupsFileError] in
      guard number > state.looks.ended else {
        isDoubtful = contents != state.known
        return []
      }
      state.looks.ended = number
      guard contents != state.known else { return [] }
      let problems = decoded.failures.filter { state.known[$0.key] != contents[$0.key] }.map(\.value)
      state.known = contents
      state.others = others
      people = present.stage(decoded.people)
      if isAnyonePresent.value == contents.isEmpty { anyone = isAnyonePresent.stage(!contents.isEmpty) }
      return problems
    }
    people?.send()
    anyone?.send()
    // The later read began later, but may have examined some announcement earlier.
    if isDoubtful { looks.request { [weak self] in self?.look() } }
    return problems
  }

  /// The decoded records, and the errors of the others.
  private struct Decoded {
    var people: [PresentProcess<Value>] = []
    var failures: [UUID: AppGroupsFileError] = [:]
  }

  private func decode(_ contents: PresenceDirectory.Contents) -> Decoded {
    var decoded = Decoded()
    for (id, data) in contents {
      do {
        decoded.people.append(PresentProcess(try coding.decode(PresenceRecord<Value>.self, from: data), id: id))
      } catch {
        let reason = CodingReason.words(for: error, in: coding.isJSON ? data : nil)
        decoded.failures[id] = .undecodable(directory.place(of: id), reason: reason)
      }
    }
    decoded.people.sort { ($0.since, $0.id.uuidString) < ($1.since, $1.id.uuidString) }
    return decoded
  }

  private func isSuspended(_ data: Data) -> Bool {
    tolerating(try coding.decode(PresenceSuspension.self, from: data).isPresent, else: false)
  }

  private func observeExits() {
    if present.value.contains(where: { $0.isSuspended && !$0.isThisProcess }) {
      checks.request { [weak self] in self?.look() }
    }
    let (others, number) = state.withLock { ($0.others, $0.looks.ended) }
    exits.observe(others, asOf: number) { [weak self] in
      guard let self else { return }
      queue.async { [weak self] in
        guard let self else { return }
        suspectEveryone()
        look()
      }
    }
  }
}

/// A suspended process keeps the announcements that it knows, and reads the directory again when it is resumed.
extension PresenceEngine: Suspendable {
  var suspensionStage: SuspensionStage { .readers }

  func resumeAfterSuspension() {
    queue.async { [weak self] in
      self?.suspectEveryone()
      self?.look()
    }
  }
}
