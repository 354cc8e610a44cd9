/// All changes of a path since its subscribers were last called.
package struct PathChange: Sendable {
  /// The events of the file, or of the directory and its entries, in order.
  var events: [WatchEvent]
  /// The set of watched directories has changed, so events in between were not detected.
  var isRearmed = false
  /// The system lost events.
  var isOverflow = false
  /// Nothing was reported, and it is time to poll.
  var isPoll = false

  /// The name of a file that only its own watch has reported as written.
  var followed: String?
}

extension PathChange {
  /// Creates the change of a file of the directory that was written.
  package init(written name: String) {
    self.init(events: [], followed: name)
  }

  /// The names of the files of the directory that were only written.
  package var written: [String] {
    var names = followed.map { [$0] } ?? []
    for event in events where event.isWrite {
      // Repeated writes to a file count once.
      guard let name = event.name, names.last != name, !names.contains(name) else { continue }
      names.append(name)
    }
    return names
  }

  /// The entries of the directory that changed in any way other than by removal.
  package var touched: Set<String> {
    var names = Set(followed.map { [$0] } ?? [])
    for event in events where event.point.place.isTarget && !event.kinds.isSubset(of: [.removed, .movedOut]) {
      if let name = event.name { names.insert(name) }
    }
    return names
  }

  /// A Boolean value that indicates whether changes may have been missed, because events were lost or other directories
  /// are watched.
  package var isIncomplete: Bool { isRearmed || isOverflow }

  /// A Boolean value that indicates whether files may have appeared or disappeared, or events were lost, so that
  /// everything must be checked.
  package var isStructural: Bool {
    isRearmed || isOverflow || isPoll || !events.allSatisfy(\.isWrite)
  }
}

extension WatchEvent {
  /// A Boolean value that indicates whether the event is only about the content of an entry.
  fileprivate var isWrite: Bool {
    point.place.isTarget && name != nil && kinds.isDisjoint(with: [.created, .movedIn, .removed, .movedOut, .changed])
  }
}
