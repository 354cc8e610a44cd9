/// Members that take part in something, by stages and then in the order in which they were added.
///
/// Each decides itself whether it is kept alive.
package struct StagedMembers<Member: Sendable, Stage: Comparable & Sendable, Detail: Sendable>: Sendable {
  package struct Entry: Sendable {
    /// A number that identifies the entry among all that were ever added.
    package let number: Int
    package let stage: Stage
    package var detail: Detail

    /// The object, or `nil` once it has been released.
    package let member: @Sendable () -> Member?
  }

  private var known: [Int: Entry] = [:]

  /// The number of objects that were ever added.
  package private(set) var additions = 0

  package init() {}

  /// Adds an object.
  ///
  /// - Parameters:
  ///   - stage: The stage in which it takes part.
  ///   - detail: What else is known about it.
  ///   - member: Returns the object, or `nil` once it has been released.
  /// - Returns: The number to find it with.
  package mutating func add(
    in stage: Stage, _ detail: Detail, _ member: @escaping @Sendable () -> Member?
  ) -> Int {
    additions += 1
    known[additions] = Entry(number: additions, stage: stage, detail: detail, member: member)
    return additions
  }

  /// Removes an object, and returns its entry.
  package mutating func remove(_ number: Int) -> Entry? { known.removeValue(forKey: number) }

  /// The objects by stages, and then in the order in which they were added.
  package var entries: [Entry] { known.values.sorted { ($0.stage, $0.number) < ($1.stage, $1.number) } }

  /// The objects in any order.
  package var unsorted: some Collection<Entry> { known.values }

  /// Accesses the detail of an object.
  package subscript(number: Int) -> Detail? {
    get { known[number]?.detail }
    set { if let newValue { known[number]?.detail = newValue } }
  }
}
