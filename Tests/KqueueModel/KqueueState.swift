#if os(Linux) && DEBUG
  import FileSignals
  import CLibrary

  /// O_PATH, which Swift's Glibc module leaves out.
  let openPath: CInt = 0o10_000_000

  /// The status of an open file.
  private struct OpenStatus {
    let isDirectory: Bool
    let links: Int
    let size: Int

    init?(descriptor: CInt) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { return nil }
      isDirectory = status.st_mode & S_IFMT == S_IFDIR
      links = Int(status.st_nlink)
      size = Int(status.st_size)
    }
  }

  /// The watches of a model of kqueue, and the notes that have not been taken.
  struct KqueueState {
    /// A watch of a descriptor, which BSD calls a knote.
    private struct Knote {
      let number: Int
      let wanted: VnodeNotes
      let file: CInt
      var notes: VnodeNotes = []
    }

    /// A watched file, by the number of its inotify watch.
    private struct File {
      let isDirectory: Bool
      var links: Int
      var size: Int
      var isDeleted = false
      /// The descriptors that watch it.
      var watchers: Set<CInt> = []
      /// The directory that contains it, if it is a directory.
      var parent: CInt?
      /// The watched directories that it contains, whose removal only it reports while they are open.
      var children: Set<CInt> = []
    }

    private static let mask = UInt32(
      IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MOVE_SELF | IN_DELETE_SELF
    )

    private let inotify: CInt
    private var knotes: [CInt: Knote] = [:]
    private var files: [CInt: File] = [:]
    /// The descriptors with notes, in the order of the first one.
    private var active: [CInt] = []

    init(inotify: CInt) {
      self.inotify = inotify
    }

    /// A Boolean value that indicates whether all notes are withheld.
    var isHeld = false

    var isPending: Bool { !isHeld && !active.isEmpty }
    var watchCount: Int { knotes.count }

    func end() {
      close(inotify)
    }

    // MARK: Watching

    mutating func watch(_ descriptor: CInt, for notes: VnodeNotes, as number: Int) -> Bool {
      // Earlier changes are none of its notes.
      update()
      guard let status = OpenStatus(descriptor: descriptor), let file = add(descriptor, status) else { return false }
      knotes[descriptor] = Knote(number: number, wanted: notes, file: file)
      files[file]?.watchers.insert(descriptor)
      if status.isDirectory { adopt(file) }
      return true
    }

    mutating func unwatch(_ descriptor: CInt) {
      active.removeAll { $0 == descriptor }
      guard let file = knotes.removeValue(forKey: descriptor)?.file else { return }
      files[file]?.watchers.remove(descriptor)
      if files[file]?.watchers.isEmpty == true { leave(file) }
      release(file)
    }

    private mutating func add(_ descriptor: CInt, _ status: OpenStatus) -> CInt? {
      let file = inotify_add_watch(inotify, "/proc/self/fd/\(descriptor)", Self.mask)
      guard file >= 0 else { return nil }
      if files[file] == nil {
        files[file] = File(isDirectory: status.isDirectory, links: status.links, size: status.size)
      }
      return file
    }

    private mutating func release(_ file: CInt) {
      guard let known = files[file], known.watchers.isEmpty, known.children.isEmpty else { return }
      files[file] = nil
      inotify_rm_watch(inotify, file)
    }

    /// Watches the directory that contains a watched directory.
    private mutating func adopt(_ file: CInt) {
      leave(file)
      guard let descriptor = files[file]?.watchers.first else { return }
      let above = openat(descriptor, "..", openPath | O_DIRECTORY | O_CLOEXEC)
      defer { if above >= 0 { close(above) } }
      if above >= 0, let status = OpenStatus(descriptor: above), let parent = add(above, status), parent != file {
        files[file]?.parent = parent
        files[parent]?.children.insert(file)
      }
      // It may have been removed before its parent was watched.
      checkLinks(of: file)
    }

    private mutating func leave(_ file: CInt) {
      guard let parent = files[file]?.parent else { return }
      files[file]?.parent = nil
      files[parent]?.children.remove(file)
      release(parent)
    }

    // MARK: Notes

    /// Takes the notes of some watches, in order.
    mutating func take(_ limit: Int) -> [VnodeEvent] {
      if isHeld { return [] }
      let taken = active.prefix(limit)
      active.removeFirst(taken.count)
      return taken.compactMap { descriptor in
        guard let knote = knotes[descriptor] else { return nil }
        knotes[descriptor]?.notes = []
        return VnodeEvent(number: knote.number, notes: knote.notes)
      }
    }

    private mutating func post(_ notes: VnodeNotes, to file: CInt) {
      for descriptor in (files[file]?.watchers ?? []).sorted() {
        guard let knote = knotes[descriptor] else { continue }
        let new = notes.intersection(knote.wanted)
        if new.isEmpty { continue }
        if knote.notes.isEmpty { active.append(descriptor) }
        knotes[descriptor]?.notes.formUnion(new)
      }
    }

    // MARK: Changes

    /// Reads what the kernel has reported until now.
    mutating func update() {
      withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
        while case let count = read(inotify, buffer.baseAddress, buffer.count), count > 0 {
          var offset = 0
          while offset < count {
            let record = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            offset += MemoryLayout<inotify_event>.size + Int(record.len)
            if record.mask & UInt32(IN_Q_OVERFLOW) != 0 { overflow() }
            note(record.mask, isOfEntry: record.len > 0, of: record.wd)
          }
        }
      }
    }

    private mutating func note(_ mask: UInt32, isOfEntry: Bool, of file: CInt) {
      guard let known = files[file] else { return }
      func has(_ flags: some BinaryInteger) -> Bool { mask & UInt32(flags) != 0 }
      if has(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO) {
        post(has(IN_ISDIR) ? [.write, .link] : .write, to: file)
        for child in known.children { checkLinks(of: child) }
      }
      if isOfEntry { return }
      if has(IN_MOVE_SELF) {
        post(.rename, to: file)
        if known.isDirectory { adopt(file) }
      }
      if has(IN_ATTRIB) { checkAttributes(of: file) }
      if has(IN_MODIFY) { checkSize(of: file) }
      if has(IN_DELETE_SELF) { delete(file) }
      if has(IN_UNMOUNT) { post(.revoke, to: file) }
      if has(IN_IGNORED) { files[file] = nil }
    }

    private func status(of file: CInt) -> OpenStatus? {
      files[file]?.watchers.first.flatMap { OpenStatus(descriptor: $0) }
    }

    private mutating func delete(_ file: CInt) {
      guard files[file]?.isDeleted == false else { return }
      files[file]?.isDeleted = true
      post([.delete, .link], to: file)
    }

    private mutating func checkLinks(of file: CInt) {
      if let status = status(of: file), status.links == 0 { delete(file) }
    }

    private mutating func checkAttributes(of file: CInt) {
      guard let known = files[file], let status = status(of: file), !known.isDirectory else {
        return post(.attributes, to: file)
      }
      files[file]?.links = status.links
      if status.links == 0 { return delete(file) }
      post(
        status.links < known.links ? [.delete, .link] : status.links > known.links ? .link : .attributes, to: file)
    }

    private mutating func checkSize(of file: CInt) {
      guard let known = files[file], let status = status(of: file) else { return }
      files[file]?.size = status.size
      if status.size < known.size { post(.attributes, to: file) }
      // inotify combines a truncation and a write.
      if status.size > 0 || known.size == 0 { post(status.size > known.size ? [.write, .extend] : .write, to: file) }
    }

    /// Posts all notes that may have been lost.
    ///
    /// BSD loses none.
    private mutating func overflow() {
      for (file, known) in files {
        post([.write, .attributes], to: file)
        checkLinks(of: file)
        if known.isDirectory { adopt(file) }
      }
    }
  }
#endif
