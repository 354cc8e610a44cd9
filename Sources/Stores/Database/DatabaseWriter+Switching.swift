import FileSignals
import Foundation
import Signals
import Synchronization

/// The end of the connection, and another file in the same place.
extension DatabaseWriter {
  /// A connection that is not in use yet, or the reason why there is none.
  struct Next {
    var open: WriterConnection?
    var refusal: DatabaseError?
    var isUsable: Bool
    /// The tables of a read-only file.
    var tables: [String] = []

    /// The reason why the file cannot be used.
    var failure: DatabaseError? { isUsable ? nil : refusal }
  }

  // MARK: Closing

  /// Closes the connection with the lock held; later writes throw the reason.
  func close(_ reason: DatabaseError) {
    lock.withLock {
      open?.connection.close()
      open = nil
      refusal = reason
      over.store(true, ordering: .releasing)
    }
  }

  /// Acquires the lock, and closes the connection; later writes throw an error until ``resume(with:observed:)``.
  func suspendFile() {
    lock.withLock {
      guard !isClosed, refusal == nil || open != nil else { return }
      open?.connection.close()
      open = nil
      isFileSuspended = true
    }
  }

  // MARK: Pausing

  /// Acquires the lock, and keeps it until ``settle(_:)`` or ``letGo()``.
  ///
  /// - Parameter patience: The longest time to wait, or `nil` to wait as long as it takes.
  /// - Returns: `false` if a transaction takes longer.
  func hold(within patience: Duration?) -> Bool { lock.lock(within: patience) }

  /// Releases the lock after ``hold(within:)``.
  func letGo() { lock.unlock() }

  /// Closes the connection, and releases the lock; later writes wait until ``resume(with:observed:)``.
  func settle(_ pause: DatabasePause) {
    defer { lock.unlock() }
    guard let connection = open?.connection, !isClosed else { return }
    // This moves the content of the log into the file. If another process uses the database, the log is switched along
    // with the file. Waiting for it could take as long as others read and write without a gap.
    connection.refuseWaiting()
    do { try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") } catch {}
    connection.close()
    open = nil
    self.pause = pause
  }

  /// Prepares a connection, or a reason to refuse, for the time after the pause.
  ///
  /// - Parameters:
  ///   - opened: The opened file, without a connection if it is read-only; or the error of opening it.
  ///   - version: The version that the file must have.
  ///   - isOther: Pass `true` for another file, which is reported as changed as soon as it is usable.
  /// - Returns: What takes effect after the pause.
  func prepare(
    with opened: Result<DatabaseFile.Opened, DatabaseError>, version: Int?, isOther: Bool
  ) -> Next {
    lock.withLock {
      if isClosed { return Next(refusal: refusal, isUsable: false) }
      isOtherDue = isOtherDue || isOther
      do throws(DatabaseError) {
        let opened = try opened.get()
        var next = Next(isUsable: true, tables: opened.tables)
        if let connection = opened.writer {
          let open = try WriterConnection(connection, version: version)
          if isOtherDue {
            let newest = try recorder?.fileDidChange(on: connection) ?? 0
            changes.restart(after: newest)
          }
          next.open = open
        } else {
          next.refusal = unwritable
        }
        return next
      } catch {
        return Next(refusal: error, isUsable: false)
      }
    }
  }

  /// Continues after a pause.
  ///
  /// - Parameters:
  ///   - next: What was prepared for that, if it was possible.
  ///   - observed: The observed tables, which are reported as changed even if they no longer exist.
  func resume(with next: Next?, observed: Set<String>) {
    lock.withLock {
      pause = nil
      isFileSuspended = false
      guard !isClosed, let next else { return }
      (open, refusal) = (next.open, next.refusal)
      guard next.isUsable, isOtherDue else { return }
      changes.add(everything(observed: observed, read: next.tables), .switch, numbered: nil)
      isOtherDue = false
      replacements.add(1, ordering: .relaxed)
    }
  }

  // MARK: Changes of everything

  /// Enqueues a change of everything.
  func tellEverything(_ origin: ChangeOrigin, sequence: Int64, observed: Set<String>) {
    lock.withLock { changes.add(everything(observed: observed), origin, numbered: sequence) }
  }

  /// Enqueues a change of everything by a program that does not announce its changes.
  func tellForeignWrite(observed: Set<String>) {
    lock.withLock { changes.add(everything(observed: observed), .foreign) }
  }

  /// Returns a change of every table.
  private func everything(observed: Set<String>, read: [String] = []) -> [String: TableChanges] {
    let there = Set(open?.tableNames ?? read.filter { !TableCatalog.isOwn($0) })
    let names = there.union(observed.subtracting(there.map { $0.lowercased() }))
    return Dictionary(uniqueKeysWithValues: names.map { ($0, TableChanges(isEverything: true)) })
  }
}
