import Foundation

/// Compares what a file is with what it was.
struct FileChanges: ChangeInterpreter {
  private let url: URL
  private var known: FileStatus?
  /// What the last look found, for as long as the file is polled.
  private var mark: FileMark?

  init(url: URL) {
    self.url = url
  }

  mutating func look(_ watch: PathChanges) {
    known = FileStatus(path: watch.path)
    mark = watch.isPolling ? FileStamp(path: watch.path).map { FileMark($0, path: watch.path) } : nil
  }

  /// What has become of the file; nothing if that would be no news.
  mutating func events(after batch: PathChange, of watch: PathChanges) -> [FileEvent] {
    let old = known
    known = FileStatus(path: watch.path)
    let difference = compareMarks(watch)
    let kind = kind(after: batch, old: old, new: known) ?? (batch.isPoll ? difference : nil)
    // What was written meanwhile, nobody can tell.
    let kinds = batch.isOverflow ? [.rescan, kind] : [kind]
    return kinds.compactMap { $0 }.map { FileEvent(kind: $0, url: url) }
  }

  private func kind(after batch: PathChange, old: FileStatus?, new: FileStatus?) -> FileEvent.Kind? {
    let kinds = batch.events.reduce(into: WatchKinds()) { $0.formUnion($1.kinds) }
    let end: FileEvent.Kind = kinds.isDisjoint(with: [.movedOut, .selfMoved]) ? .deleted : .moved
    switch (old, new) {
    // Somebody may have looked in between, and must learn that it is gone.
    case (nil, nil): return kinds.isDisjoint(with: [.created, .movedIn]) ? nil : end
    case (nil, _?): return .created
    case (_?, nil): return end
    case (let old?, let new?):
      if old.identity != new.identity { return .replaced }
      if batch.isOverflow { return nil }
      if batch.isRearmed { return .rescan }
      // A file system may give a new file the number of the one it replaces.
      if !kinds.isDisjoint(with: [.movedIn, .created]) { return .replaced }
      if kinds.contains(.written) { return .modified }
      return kinds.contains(.attributes) ? .attributes : nil
    }
  }

  /// What a look finds to be different, and what it leaves behind for the next.
  private mutating func compareMarks(_ watch: PathChanges) -> FileEvent.Kind? {
    guard watch.isPolling || mark != nil, let stamp = FileStamp(path: watch.path) else {
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
