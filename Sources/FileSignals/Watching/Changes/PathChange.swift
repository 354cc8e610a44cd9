/// Everything that has happened to a path since its subscribers were last called.
package struct PathChange: Sendable {
  /// What was seen of the file, or of the directory and its entries, in order.
  var events: [WatchEvent]
  /// Other directories are watched than before, so what happened in between was not seen.
  var isRearmed = false
  /// The system lost events.
  var isOverflow = false
  /// Nothing was seen, and it is time to look.
  var isPoll = false

  /// A file of which only its own watch reported that it was written.
  private var followed: String?

  /// Makes a change from what the system reported.
  init(events: [WatchEvent], isRearmed: Bool = false, isPoll: Bool = false) {
    self.events = events
    self.isRearmed = isRearmed
    self.isPoll = isPoll
  }

  /// Makes the change of a file of the directory that was written into.
  package init(written name: String) {
    events = []
    followed = name
  }

  /// The files of the directory that were only written into.
  package var written: [String] {
    var names = followed.map { [$0] } ?? []
    for event in events where event.isWrite {
      // Appending once or a hundred times comes to the same.
      guard let name = event.name, names.last != name, !names.contains(name) else { continue }
      names.append(name)
    }
    return names
  }

  /// The entries of the directory to which anything but their removal happened.
  package var touched: Set<String> {
    var names = Set(followed.map { [$0] } ?? [])
    for event in events where event.point.place.isTarget && !event.kinds.isSubset(of: [.removed, .movedOut]) {
      if let name = event.name { names.insert(name) }
    }
    return names
  }

  /// A Boolean value that indicates whether changes may have gone unseen, because events were lost or directories are
  /// watched anew.
  package var isIncomplete: Bool { isRearmed || isOverflow }

  /// A Boolean value that indicates whether files may have come or gone, or events were lost: look at everything.
  package var isStructural: Bool {
    isRearmed || isOverflow || isPoll || !events.allSatisfy(\.isWrite)
  }
}

extension WatchEvent {
  /// Whether it is about nothing but the content of an entry.
  fileprivate var isWrite: Bool {
    point.place.isTarget && name != nil && kinds.isDisjoint(with: [.created, .movedIn, .removed, .movedOut, .changed])
  }
}
