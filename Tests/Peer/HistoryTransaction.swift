import TestSupport

/// A step of a transaction: it reads a list, and perhaps appends a value to it.
struct HistoryStep {
  let list: Int
  /// The value to append, or 0.
  let value: Int
  private let number: Int
  private let notes: HistoryNotes

  fileprivate init(list: Int, value: Int, notes: HistoryNotes) {
    self.list = list
    self.value = value
    self.notes = notes
    number = notes.call(value == 0 ? .look : .append, list, value)
  }

  /// Notes the list as the step finds it.
  func note(_ values: [Int]) {
    note(last: values.last ?? 0, count: values.count, sum: values.reduce(0, +))
  }

  /// Notes the last value of the list, the number of values, and their sum.
  func note(last: Int, count: Int, sum: Int) {
    notes.fill(number, last, count, sum)
  }
}

extension HistoryThread {
  /// Performs and notes a transaction of two to four steps on different lists.
  ///
  /// What it appends is noted before it begins, because others may see it even if the process is killed. A database
  /// returns the number of the commit.
  func transaction(lists: Int, appends: Bool = true, _ body: ([HistoryStep]) throws -> Int) throws {
    let chosen = Array((0..<lists).shuffled(using: &chance).prefix(2 + chance.number(below: 3)))
    let number = notes.call(.transaction, 0, chosen.count)
    let steps = chosen.map { list in
      HistoryStep(list: list, value: appends && !chance.once(in: 3) ? fresh() : 0, notes: notes)
    }
    notes.fill(number, try body(steps))
    notes.answer(number)
  }
}
