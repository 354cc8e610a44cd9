import Foundation

/// The known state of a file, from which events are derived.
struct FileChanges: ChangeInterpreter {
  let url: URL
  private(set) var known: FileStatus?
  /// The mark of the last poll, as long as the file is polled.
  private(set) var mark: FileMark?

  mutating func look(_ watch: PathChanges) {
    // What is known stays known until the file can be examined again.
    tolerating { known = try FileStatus(path: watch.path) }
    mark = watch.isPolling ? FileStamp.ifReadable(path: watch.path).map { FileMark($0, path: watch.path) } : nil
  }

  /// Returns the events for the changes of the file.
  mutating func events(after batch: PathChange, of watch: PathChanges) -> [FileEvent] {
    let old = known
    do throws(DurableFileError) {
      known = try FileStatus(path: watch.path)
    } catch {
      // The file may have any content, or be gone. A poll finds the same error again and again.
      return batch.isPoll ? [] : [FileEvent(kind: .rescan, url: url)]
    }
    let difference = compareMarks(watch)
    let kind = kind(after: batch, old: old, new: known) ?? (batch.isPoll ? difference : nil)
    // Content that was written in between cannot be detected.
    let kinds = batch.isOverflow ? [.rescan, kind] : [kind]
    return kinds.compactMap { $0 }.map { FileEvent(kind: $0, url: url) }
  }

  private func kind(after batch: PathChange, old: FileStatus?, new: FileStatus?) -> FileEvent.Kind? {
    let kinds = batch.events.reduce(into: WatchKinds()) { $0.formUnion($1.kinds) }
    let end: FileEvent.Kind = kinds.isDisjoint(with: [.movedOut, .selfMoved]) ? .deleted : .moved
    switch (old, new) {
    // The file may have been seen in between, so its end must be reported.
    case (nil, nil): return kinds.isDisjoint(with: [.created, .movedIn]) ? nil : end
    case (nil, _?): return .created
    case (_?, nil): return end
    case (let old?, let new?):
      if old.identity != new.identity { return .replaced }
      if batch.isOverflow { return nil }
      if batch.isRearmed { return .rescan }
      // A file system may reuse the number of the file that was replaced.
      if !kinds.isDisjoint(with: [.movedIn, .created]) { return .replaced }
      if kinds.contains(.written) { return .modified }
      guard kinds.contains(.attributes) else { return nil }
      // Some systems report a truncation as a change of attributes.
      return old.size == new.size ? .attributes : .modified
    }
  }

  /// Returns the difference that a poll finds, and stores the mark for the next one.
  private mutating func compareMarks(_ watch: PathChanges) -> FileEvent.Kind? {
    guard watch.isPolling || mark != nil, let stamp = FileStamp.ifReadable(path: watch.path) else {
      mark = nil
      return nil
    }
    guard mark != nil else {
      mark = FileMark(stamp, path: watch.path)
      return .rescan
    }
    let difference = mark?.update(stamp, path: watch.path)
    if !watch.isPolling { mark = nil }
    return switch difference {
    case .content: .modified
    case .attributes: .attributes
    case .none?, nil: nil
    }
  }
}
