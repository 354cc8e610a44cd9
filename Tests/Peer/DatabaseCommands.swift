import CLibrary
import Foundation
import Signals
import TestSupport

/// SQLite databases and record locks, as programs use them that know nothing of this package.
///
/// - `bank-churn SEED PATH`: change the accounts of a bank at random on a separate thread, until `bank-stop`
/// - `bank-stop`: end that, and answer
/// - `bank-exclude PATH`, `bank-admit`: hold the exclusive lock of a database, and release it
/// - `bank-write PATH`: answer whether a transaction that writes can begin
/// - `record-lock PATH`: answer whether the record lock of a file is free
final class DatabaseCommands: CommandFamily {
  /// A thread that changes a bank.
  private final class Churn: Sendable {
    let isGoingOn = Guarded(true)
    let failure = Guarded<String?>(nil)
    let ended = DispatchSemaphore(value: 0)
  }

  private var churn: Churn?
  private var excluding: RawDatabase?

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "bank-churn":
      let arguments = try command.arguments(2)
      let bank = RandomBank(URL(filePath: arguments[1]))
      churn = try start(bank, UInt64(command.number(arguments[0])))
    case "bank-stop":
      churn?.isGoingOn.withLock { $0 = false }
      churn?.ended.wait()
      if let failure = churn?.failure.withLock({ $0 }) { throw CommandError(description: failure) }
    case "bank-exclude":
      excluding = try RawDatabase(URL(filePath: command.argument()))
      try excluding?.run("BEGIN EXCLUSIVE; UPDATE clock SET moves = moves")
    case "bank-admit":
      try excluding?.run("COMMIT")
      excluding = nil
    case "bank-write":
      do {
        try RawDatabase(URL(filePath: command.argument()), busyTimeout: 0).run("BEGIN IMMEDIATE; COMMIT")
        return "true"
      } catch let failure as RawDatabase.Failure where failure.isBusy {
        return "false"
      }
    case "record-lock":
      let number = open(try command.argument(), O_RDWR | O_CLOEXEC)
      guard number >= 0 else { throw CommandError(description: String(cString: strerror(errno))) }
      defer { close(number) }
      return "\(RecordLock.acquire(number))"
    default: return nil
    }
    return ""
  }

  private func start(_ bank: RandomBank, _ seed: UInt64) -> Churn {
    let churn = Churn()
    Thread {
      var chance = Chance(seed: seed)
      do {
        try bank.churn(&chance) { churn.isGoingOn.withLock { $0 } }
      } catch {
        churn.failure.withLock { $0 = "\(error)" }
      }
      churn.ended.signal()
    }.start()
    return churn
  }
}
