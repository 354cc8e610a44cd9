#if os(Linux) && DEBUG
  import FileSignals
  import Foundation
  import CLibrary
  import KqueueModel
  import TestSupport
  import Testing

  /// The suites of observers rely on this model, so it must do what BSD's kernel does.
  @Suite struct `The model of kqueue` {
    private let folder: TemporaryDirectory
    private let model: KqueueModel
    private let all: VnodeNotes = [.write, .extend, .attributes, .link, .delete, .rename]

    init() throws {
      folder = try TemporaryDirectory()
      model = try KqueueModel()
      try Data("old".utf8).write(to: folder.file("file"))
    }

    /// Watches an entry of the folder, or the folder itself.
    private func watch(_ name: String = "", as number: Int) throws -> CInt {
      let descriptor = model.open("\(folder.url.path)/\(name)", isDirectory: name.isEmpty || name.hasPrefix("dir"))
      try #require(descriptor >= 0)
      try #require(model.watch(descriptor, for: all, as: number))
      return descriptor
    }

    private func expect(_ events: (Int, VnodeNotes)..., sourceLocation: SourceLocation = #_sourceLocation) {
      let expected = events.map { VnodeEvent(number: $0.0, notes: $0.1) }
      #expect(model.takeEvents() == expected, sourceLocation: sourceLocation)
      #expect(model.takeEvents() == [], sourceLocation: sourceLocation)
    }

    @Test func `combines notes until they are taken, and then starts anew`() throws {
      let file = try watch("file", as: 1)
      try shell("printf 1 >> file && chmod 640 file", in: folder.url)
      expect((1, [.write, .extend, .attributes]))
      try shell("chmod 600 file", in: folder.url)
      expect((1, .attributes))
      model.close(file)
    }

    @Test func `ends a watch and forgets its notes when the descriptor is closed, and uses the number again`() async {
      // In a process of its own, no other test opens a file in between.
      await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
        // Another thread of the process may take the number first.
        for _ in 1...100 where try closesAndOpens(in: path) { return }
        Issue.record("the number was not used again")
      }
    }

    @Test func `reports a replacement to the directory and to both files`() throws {
      try Data("new".utf8).write(to: folder.file("next"))
      let watches = [try watch(as: 1), try watch("file", as: 2), try watch("next", as: 3)]
      try shell("mv next file", in: folder.url)
      let events = try #require(model.takeEvents())
      #expect(Set(events.map(\.number)) == [1, 2, 3])
      #expect(events.first { $0.number == 1 }?.notes == .write)
      #expect(events.first { $0.number == 2 }?.notes.contains(.delete) == true)
      #expect(events.first { $0.number == 3 }?.notes == .rename)
      for watch in watches { model.close(watch) }
    }

    @Test func `reports neither writes to a directory's files nor reads`() throws {
      let directory = try watch(as: 1)
      try shell("printf 1 >> file && cat file > /dev/null", in: folder.url)
      expect()
      try shell("mkdir dir", in: folder.url)
      expect((1, [.write, .link]))
      model.close(directory)
    }

    @Test(arguments: ["rmdir dir", "mkdir next && mv -T next dir", "mv dir moved && rmdir moved"])
    func `reports the removal of a directory at once, even if it is open`(_ command: String) throws {
      try shell("mkdir dir", in: folder.url)
      let directory = try watch("dir", as: 1)
      let other = open(folder.file("dir").path, O_RDONLY | O_DIRECTORY)
      defer { close(other) }
      try shell(command, in: folder.url)
      let events = try #require(model.takeEvents())
      #expect(events.map(\.number) == [1])
      #expect(events.first?.notes.contains(.delete) == true)
      #expect(events.first?.notes.contains(.rename) == command.hasPrefix("mv dir"))
      model.close(directory)
    }

    @Test func `reports the removal of one of several names as a deletion`() throws {
      let file = try watch("file", as: 1)
      try shell("ln file other", in: folder.url)
      expect((1, .link))
      try shell("rm other", in: folder.url)
      expect((1, [.delete, .link]))
      try shell("rm file", in: folder.url)
      expect((1, [.delete, .link]))
      model.close(file)
    }

    @Test func `reports a truncation as a change of attributes`() throws {
      let file = try watch("file", as: 1)
      try shell(": > file", in: folder.url)
      expect((1, .attributes))
      model.close(file)
    }

    @Test func `wakes its reader as long as notes are pending`() throws {
      let file = try watch("file", as: 1)
      var request = pollfd(fd: model.descriptor, events: Int16(POLLIN), revents: 0)
      #expect(poll(&request, 1, 0) == 0)
      try shell("chmod 640 file", in: folder.url)
      #expect(poll(&request, 1, 60_000) == 1)
      expect((1, .attributes))
      model.close(file)
    }

    @Test func `opens no link`() throws {
      try shell("ln -s file link", in: folder.url)
      #expect(model.open(folder.file("link").path, isDirectory: false) == -1)
      #expect(errno == ELOOP)
    }
  }

  /// Closes a descriptor, opens another file, and returns whether that uses the number again.
  private func closesAndOpens(in path: String) throws -> Bool {
    let model = try KqueueModel()
    let old = model.open("\(path)/file", isDirectory: false)
    #expect(model.watch(old, for: [.write, .attributes], as: 1))
    try Data("new".utf8).write(to: URL(filePath: "\(path)/file"))
    try Data("other".utf8).write(to: URL(filePath: "\(path)/other"))
    model.close(old)
    let new = model.open("\(path)/other", isDirectory: false)
    guard new == old else {
      model.close(new)
      return false
    }
    #expect(model.watch(new, for: [.write, .attributes], as: 2))
    #expect(chmod("\(path)/file", 0o640) == 0 && chmod("\(path)/other", 0o640) == 0)
    #expect(model.takeEvents() == [VnodeEvent(number: 2, notes: .attributes)])
    model.close(new)
    #expect(model.watchCount == 0)
    return true
  }
#endif
