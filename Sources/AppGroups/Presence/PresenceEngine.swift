import Dispatch
import FileSignals
import Foundation
import Signals

/// Keeps in memory who is present, in step with the directory.
final class PresenceEngine<Value: Codable & Sendable>: Sendable {
  let directory: PresenceDirectory
  private let coding: FileCoding

  let present = MutableProperty<[PresentProcess<Value>]>([])
  let isAnyonePresent = MutableProperty(false)
  let failures = Emitter<AppGroupsFileError, Never>()

  /// Held while looking, so that what is seen last is what stays.
  private let lock = Lock()
  // Sound: guarded by the lock, as are the next four.
  private nonisolated(unsafe) var known: PresenceDirectory.Contents = [:]
  private nonisolated(unsafe) var reported: AppGroupsFileError?
  /// Whose announcements may not be read, which has been told.
  private nonisolated(unsafe) var forbidden: Set<UUID> = []
  private nonisolated(unsafe) var retries = Backoff.unreadable.pauses()
  private nonisolated(unsafe) var isRetryAwaited = false

  private let queue = DispatchQueue(label: "org.signals.presence", qos: .userInitiated)
  // Sound: these belong to the queue.
  private nonisolated(unsafe) var suspects: Set<UUID> = []
  private nonisolated(unsafe) var isLookAwaited = false
  private nonisolated(unsafe) var round = 0

  // Sound: set once, before the engine is shared.
  private nonisolated(unsafe) var observer: DirectoryObserver?
  private nonisolated(unsafe) var subscription: SignalSubscription?
  private let exits = ProcessExits()

  /// When to look again for somebody whose file was closed while the lock was still held.
  ///
  /// The kernel closes a file a moment before it releases the lock; on a busy machine, the moment may be a long one.
  private static var suspicion: Backoff {
    .exponential(from: .milliseconds(1), upTo: .milliseconds(4_096), factor: 4, limit: 7)
  }

  var health: Property<WatchHealth> { observer?.health ?? .constant(.active) }

  init(_ directory: PresenceDirectory, coding: FileCoding) throws(AppGroupsFileError) {
    self.directory = directory
    self.coding = coding
    let observer: DirectoryObserver
    do {
      observer = try DirectoryObserver(directory.url)
    } catch {
      throw .unobservable(error)
    }
    self.observer = observer
    // Armed before the first look: what changes after the look is then seen as a change.
    subscription = observer.sink { [weak self] event in self?.receive(event) }
    // Throws what a look would only tell those who subscribe.
    _ = try directory.contents()
    directory.removeLitter()
    look()
    // Who was about to go when the watch began may not be heard of any more.
    queue.async { [weak self] in self?.suspectEveryone() }
  }

  /// Puts a record in place, for as long as the result lives.
  func store(_ record: PresenceRecord<Value>, as id: UUID) throws(AppGroupsFileError) -> PresenceFile {
    let data: Data
    do {
      data = try coding.encode(record)
    } catch {
      throw .unencodable(directory.place(of: id), reason: CodingReason.words(for: error))
    }
    return try directory.store(data, as: id)
  }

  // MARK: Events

  private func receive(_ event: FileEvent) {
    queue.async { [weak self] in self?.take(event) }
  }

  private func take(_ event: FileEvent) {
    switch event.kind {
    case .rescan: suspectEveryone()
    case .deleted, .moved: break
    // Somebody has closed a file, perhaps because he died with it. What has come may be closed already, too: what
    // happens in one burst is one event.
    case .created, .modified, .replaced, .attributes:
      if let id = UUID(uuidString: event.url.lastPathComponent) { suspect([id]) }
    }
    lookSoon()
  }

  /// Looks once for all that has happened until then.
  private func lookSoon() {
    guard !isLookAwaited else { return }
    isLookAwaited = true
    queue.async { [weak self] in
      guard let self else { return }
      isLookAwaited = false
      look()
    }
  }

  private func suspectEveryone() {
    let everyone = lock.withLock { Set(known.keys) }
    if !everyone.isEmpty { suspect(everyone) }
  }

  /// Looks again and again for a while, until these are gone.
  private func suspect(_ ids: Set<UUID>) {
    suspects.formUnion(ids)
    round += 1
    lookAgain(round, Self.suspicion.pauses())
  }

  private func lookAgain(_ round: Int, _ pauses: Backoff.Pauses) {
    var pauses = pauses
    guard let pause = pauses.next() else {
      if round == self.round { suspects = [] }
      return
    }
    queue.async(after: pause) { [weak self, pauses] in
      // A newer suspicion looks for all.
      guard let self, round == self.round else { return }
      look()
      suspects.formIntersection(lock.withLock { Set(known.keys) })
      if !suspects.isEmpty { lookAgain(round, pauses) }
    }
  }

  // MARK: Looking

  /// Looks who is there, and sends what is new.
  func look() {
    var people: StagedValue<[PresentProcess<Value>]>?
    var anyone: StagedValue<Bool>?
    var problems: [AppGroupsFileError] = []
    var pause: Duration?
    lock.withLock {
      do throws(AppGroupsFileError) {
        var hidden: Set<UUID> = []
        let contents = try directory.contents { id, error in
          hidden.insert(id)
          if !forbidden.contains(id) { problems.append(error) }
        }
        forbidden = hidden
        reported = nil
        retries.reset()
        guard contents != known else { return }
        let decoded = decode(contents, &problems)
        known = contents
        people = present.stage(decoded)
        if isAnyonePresent.value == contents.isEmpty { anyone = isAnyonePresent.stage(!contents.isEmpty) }
      } catch {
        // The last that was seen stands.
        if error != reported { problems.append(error) }
        reported = error
        guard error.mayPassUnseen, !isRetryAwaited else { return }
        isRetryAwaited = true
        pause = retries.next()
      }
    }
    if let pause { retry(after: pause) }
    people?.send()
    anyone?.send()
    problems.forEach(failures.send)
    observeExits()
  }

  /// Looks again at what could not be looked at; only for as long as that lasts.
  private func retry(after pause: Duration) {
    queue.async(after: pause) { [weak self] in
      guard let self else { return }
      lock.withLock { isRetryAwaited = false }
      look()
    }
  }

  /// Everyone whose record can be decoded; what is wrong with the others is told once.
  private func decode(
    _ contents: PresenceDirectory.Contents, _ problems: inout [AppGroupsFileError]
  ) -> [PresentProcess<Value>] {
    var decoded: [PresentProcess<Value>] = []
    for (id, data) in contents {
      do {
        decoded.append(PresentProcess(try coding.decode(PresenceRecord<Value>.self, from: data), id: id))
      } catch {
        guard known[id] != data else { continue }
        let reason = CodingReason.words(for: error, in: coding.isJSON ? data : nil)
        problems.append(.undecodable(directory.place(of: id), reason: reason))
      }
    }
    return decoded.sorted { ($0.since, $0.id.uuidString) < ($1.since, $1.id.uuidString) }
  }

  private func observeExits() {
    let others = Set(present.value.lazy.filter { !$0.isThisProcess }.map(\.processIdentifier))
    exits.observe(others) { [weak self] in
      guard let self else { return }
      queue.async { [weak self] in
        guard let self else { return }
        suspectEveryone()
        look()
      }
    }
  }
}
