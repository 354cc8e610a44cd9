/// The changes of one entry in one burst.
struct EntryHistory {
  let existed: Bool
  private(set) var exists: Bool
  private(set) var isNew = false
  private var kinds: WatchKinds = []

  init(existed: Bool) {
    self.existed = existed
    exists = existed
  }

  mutating func add(_ kinds: WatchKinds) {
    self.kinds.formUnion(kinds)
    if !kinds.isDisjoint(with: [.created, .movedIn]) { (exists, isNew) = (true, true) }
    if !kinds.isDisjoint(with: [.removed, .movedOut]) { exists = false }
    if !kinds.isDisjoint(with: [.written, .attributes]) { exists = true }
  }

  var wasRemoved: Bool { !kinds.isDisjoint(with: [.removed, .movedOut]) }

  /// The kind of the combined event, or `nil` if there is none.
  var kind: FileEvent.Kind? {
    switch (existed, exists) {
    // The entry may have been seen in between, so its end must be reported.
    case (false, false): isNew ? kindOfEnd : nil
    case (false, true): .created
    case (true, false): kindOfEnd
    case (true, true): isNew ? .replaced : kindOfEcho
    }
  }

  private var kindOfEnd: FileEvent.Kind { kinds.contains(.movedOut) ? .moved : .deleted }

  /// The kind of the combined event, if the creation of the entry has already been reported.
  var kindOfEcho: FileEvent.Kind? {
    if kinds.contains(.written) { .modified } else { kinds.contains(.attributes) ? .attributes : nil }
  }
}
