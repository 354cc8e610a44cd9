import CLibrary
import Foundation
import Synchronization

/// The kinds of notes; `Tests/Histories/notes.py` has the same numbers.
enum NoteKind: Int {
  /// A value was replaced: key, new value.
  case write = 1
  /// A value was changed: key, new value, old value.
  case update = 2
  /// A value was read from the disk: key, nothing, value.
  case read = 3
  /// A value was taken from memory, or delivered: key, nothing, value.
  case value = 4
  /// A value in memory after everything ended: key, nothing, value.
  case current = 5
  /// Several lists were changed or read together: nothing, the number of steps, whose notes follow, the number of the
  /// commit.
  case transaction = 6
  /// A step of a transaction: the list, the appended value, the last value before, the length before, and a sum.
  case append = 7
  /// A step of a transaction: the list, nothing, the last value, the length, and a sum.
  case look = 8
  /// An event was appended: nothing, the event, its number.
  case event = 9
  /// An event was received: its number, the event.
  case receipt = 10
  /// A commit was received: its sequence, its number, the worker.
  case change = 11
  /// An environment was activated: nothing, the environment.
  case activation = 12
  /// An environment was created, or deleted: its number.
  case creation = 13
  case deletion = 14
  /// An environment exists after everything ended: its number.
  case presence = 15
  /// A value was taken from memory, or delivered, in an environment: the environment, nothing, the value.
  case sight = 16
  /// A session was renewed.
  case renewal = 17
  /// A token was sent to the server: the token, nothing, 1 if no process had sent it, the next token.
  case token = 18
  /// An element of a list after everything ended: the list, the value.
  case element = 19
  /// A commit in a database after everything ended: its number, the worker.
  case turn = 20
  /// A job was added: nothing, the value, the identifier.
  case job = 21
  /// A job was claimed: the identifier, nothing, the attempt or 0, 1 if stopped processes lose their claims, the value.
  case claim = 22
  /// A claimed job was finished, or returned: the identifier, the attempt, 1 or, if the claim was lost, 0.
  case finish = 23
  case release = 24
  /// A result of a job after everything ended: the identifier, the value, the attempt.
  case effect = 25
  /// A program that does not lock read a value in the file: key, nothing, value.
  case copy = 26
  /// That program replaced the file by what it had read, with a change: nothing, the change.
  case edit = 27
}

/// The calls and answers of one thread, in a mapped file, which costs no system call and outlives the process.
///
/// A note has eight numbers: the time of the call, the time of the answer or 0, the kind, and five that depend on it.
final class HistoryNotes: @unchecked Sendable {  // Sound: one thread at a time makes notes.
  private static let width = 8

  private let words: UnsafeMutablePointer<Int>
  private let capacity: Int
  private var count = 0

  /// Creates the file of a number of notes, which takes no space before they are made.
  init(path: String, capacity: Int) throws {
    let size = capacity * Self.width * MemoryLayout<Int>.stride
    let number = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { close(number) }
    guard number >= 0, ftruncate(number, off_t(size)) == 0,
      let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, number, 0), start != MAP_FAILED
    else { throw CommandError(description: "cannot note in \(path): \(String(cString: strerror(errno)))") }
    words = start.bindMemory(to: Int.self, capacity: capacity * Self.width)
    self.capacity = capacity
  }

  /// Notes a call, and returns its number.
  func call(_ kind: NoteKind, _ key: Int, _ argument: Int) -> Int {
    precondition(count < capacity, "too many notes")
    let note = words + count * Self.width
    note[2] = kind.rawValue
    note[3] = key
    note[4] = argument
    // A killed process leaves either the whole note or none.
    atomicMemoryFence(ordering: .releasing)
    note[0] = Self.now
    count += 1
    return count - 1
  }

  /// Adds results to a note, and the key if the call could not know it.
  func fill(_ number: Int, _ result: Int, _ length: Int = 0, _ sum: Int = 0, key: Int? = nil) {
    let note = words + number * Self.width
    if let key { note[3] = key }
    note[5] = result
    note[6] = length
    note[7] = sum
  }

  /// Notes the answer of a call.
  func answer(_ number: Int) {
    let time = Self.now
    atomicMemoryFence(ordering: .releasing)
    words[number * Self.width + 1] = time
  }

  /// Notes something that was seen.
  func saw(_ kind: NoteKind, _ key: Int, _ argument: Int, _ result: Int = 0) {
    let number = call(kind, key, argument)
    fill(number, result)
    answer(number)
  }

  private static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
