import Signals
import StrictJSON
import Synchronization

/// A table that finds slots by name, without a lock and without reference counting.
///
/// Slots are only added, and live as long as the table. When the table grows, it keeps the old cells for readers that
/// still use them. Together they are no larger than the new ones.
@usableFromInline
final class SlotTable: Sendable {
  private final class Cells: @unchecked Sendable {  // Sound: the cells are atomic.
    let mask: Int
    let cells: UnsafeMutablePointer<Atomic<Unmanaged<TweakSlot>?>>

    init(capacity: Int) {
      mask = capacity - 1
      cells = .allocate(capacity: capacity)
      for index in 0..<capacity { (cells + index).initialize(to: Atomic(nil)) }
    }

    deinit {
      cells.deinitialize(count: mask + 1)
      cells.deallocate()
    }

    func find(hash: Int, _ isWanted: (TweakSlot) -> Bool) -> Unmanaged<TweakSlot>? {
      var index = hash & mask
      while let slot = cells[index].load(ordering: .acquiring) {
        // Sound: the table keeps all slots.
        if slot._withUnsafeGuaranteedRef({ $0.hash == hash && isWanted($0) }) { return slot }
        index = (index + 1) & mask
      }
      return nil
    }

    func insert(_ slot: TweakSlot) {
      var index = slot.hash & mask
      while cells[index].load(ordering: .relaxed) != nil { index = (index + 1) & mask }
      cells[index].store(.passUnretained(slot), ordering: .releasing)
    }
  }

  private let current: Atomic<Unmanaged<Cells>>
  private let contents: Guarded<Contents>

  private struct Contents: Sendable {
    /// The current cells, and the cells that they replaced.
    var cells: [Cells]
    var slots: [TweakSlot] = []
  }

  init() {
    let cells = Cells(capacity: 64)
    contents = Guarded(Contents(cells: [cells]))
    current = Atomic(.passUnretained(cells))
  }

  /// Returns the hash of a name.
  @usableFromInline
  static func hash(_ feature: String, _ variable: String) -> Int {
    NameHash.hash(feature, variable)
  }

  /// Returns the slot of a name, if there is one.
  ///
  /// The slot is valid as long as the table.
  @usableFromInline
  func find(_ id: TweakID, hash: Int) -> Unmanaged<TweakSlot>? {
    // Sound: the table keeps all cells.
    current.load(ordering: .acquiring)._withUnsafeGuaranteedRef { cells in
      cells.find(hash: hash) { $0.id.variable == id.variable && $0.id.feature == id.feature }
    }
  }

  /// All slots.
  var all: [TweakSlot] { contents.withLock { $0.slots } }

  /// Returns the slot of a name, and creates it if it is missing.
  func slot(_ id: TweakID, hash: Int) -> TweakSlot {
    if let slot = find(id, hash: hash) { return slot.takeUnretainedValue() }
    return contents.withLock { contents in
      if let slot = find(id, hash: hash) { return slot.takeUnretainedValue() }
      let slot = TweakSlot(id: id, hash: hash)
      contents.slots.append(slot)
      var cells = contents.cells[contents.cells.count - 1]
      if contents.slots.count * 2 > cells.mask {
        cells = Cells(capacity: (cells.mask + 1) * 2)
        for slot in contents.slots { cells.insert(slot) }
        contents.cells.append(cells)
        current.store(.passUnretained(cells), ordering: .releasing)
      } else {
        cells.insert(slot)
      }
      return slot
    }
  }
}
