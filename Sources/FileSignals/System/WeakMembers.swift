/// Objects that take part in something, by stages and then in the order in which they were added; not kept alive.
package struct WeakMembers<Member: Sendable, Stage: Comparable & Sendable, Detail: Sendable>: Sendable {
  package struct Entry: Sendable {
    /// A number that identifies the entry among all that were ever added.
    package let number: Int
    package let stage: Stage
    package var detail: Detail

    /// The object, or `nil` once it has been released.
    package let member: @Sendable () -> Member?
  }

  package private(set) var entries: [Entry] = []

  /// The number of objects that were ever added.
  package private(set) var additions = 0

  package init() {}

  /// Adds an object.
  ///
  /// - Parameters:
  ///   - stage: The stage in which it takes part.
  ///   - detail: What else is known about it.
  ///   - member: Returns the object without keeping it alive.
  /// - Returns: The number to find it with.
  package mutating func add(
    in stage: Stage, _ detail: Detail, _ member: @escaping @Sendable () -> Member?
  ) -> Int {
    additions += 1
    let index = entries.firstIndex { stage < $0.stage } ?? entries.endIndex
    entries.insert(Entry(number: additions, stage: stage, detail: detail, member: member), at: index)
    return additions
  }

  /// Removes an object, and returns its entry.
  package mutating func remove(_ number: Int) -> Entry? {
    entries.firstIndex { $0.number == number }.map { entries.remove(at: $0) }
  }

  /// Accesses the detail of an object.
  package subscript(number: Int) -> Detail? {
    get { entries.first { $0.number == number }?.detail }
    set {
      guard let newValue, let index = entries.firstIndex(where: { $0.number == number }) else { return }
      entries[index].detail = newValue
    }
  }
}
