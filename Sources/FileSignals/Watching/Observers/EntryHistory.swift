/// What happened to one entry in one burst.
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

  /// What it comes to; `nil` if to nothing.
  var kind: FileEvent.Kind? {
    switch (existed, exists) {
    // Somebody may have looked in between, and must learn that it is gone.
    case (false, false): isNew ? kindOfEnd : nil
    case (false, true): .created
    case (true, false): kindOfEnd
    case (true, true): isNew ? .replaced : kindOfEcho
    }
  }

  private var kindOfEnd: FileEvent.Kind { kinds.contains(.movedOut) ? .moved : .deleted }

  /// What it comes to if its making is no news.
  var kindOfEcho: FileEvent.Kind? {
    if kinds.contains(.written) { .modified } else { kinds.contains(.attributes) ? .attributes : nil }
  }
}
