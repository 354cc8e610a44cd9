import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@Suite struct `A polled observer` {
  let folder: TemporaryDirectory
  let often = WatchPolling.always(every: .milliseconds(20))

  init() throws {
    folder = try TemporaryDirectory()
  }

  @Test func `reports every change of a file`() async throws {
    let file = folder.file("value")
    let observer = try FileObserver(file, polling: often)
    let log = Log<FileEvent.Kind>()
    let subscription = observer.sink { log.append($0.kind) }
    func expect(_ kinds: FileEvent.Kind..., after change: () throws -> Void) async rethrows {
      let count = log.all.count
      try change()
      await log.wait { $0.dropFirst(count).contains { kinds.contains($0) } }
    }
    #expect(observer.health.value == .polling(every: .milliseconds(20), because: .requested))
    try await expect(.created) { try store("a", file) }
    try await expect(.modified) { try Data("b".utf8).write(to: file) }
    try await expect(.replaced) { try store("c", file) }
    try await expect(.attributes) {
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
    }
    try await expect(.deleted) { try FileManager.default.removeItem(at: file) }
    try await expect(.created) { try shell("mkdir x && echo > x/y && ln -s x/y value", in: folder.url) }
    // The read that found the file may have used the old path, so the next one reports the new path instead.
    try await expect(.modified, .rescan) { try shell("echo more > x/y", in: folder.url) }
    subscription.cancel()
  }

  @Test func `reports every change in a tree`() async throws {
    try folder.makeFolder("a/b").withFile("old")
    let follower = try TreeFollower(folder.url, polling: often)
    try Data("new".utf8).write(to: folder.file("a/b/old"))
    await follower.expect(.modified, "a/b/old")
    try folder.makeFolder("c/d").withFile("new")
    await follower.expect(.created, "c", "c/d", "c/d/new")
    try store("replaced", folder.file("c/d/new"))
    await follower.expect(.replaced, "c/d/new")
    try FileManager.default.removeItem(at: folder.file("c"))
    await follower.expect(.deleted, "c", "c/d", "c/d/new")
  }

  @Test func `waits until its directory reappears`() async throws {
    let directory = try folder.makeFolder("directory")
    let file = directory.appendingPathComponent("value", isDirectory: false)
    let observer = try FileObserver(file, polling: often)
    let health = Log<WatchHealth>()
    let log = Log<FileEvent.Kind>()
    let subscriptions = [observer.health.sink { health.append($0) }, observer.sink { log.append($0.kind) }]
    try FileManager.default.removeItem(at: directory)
    await health.wait { $0.last == .waiting(for: URL(fileURLWithPath: directory.path, isDirectory: true)) }
    _ = try folder.makeFolder("directory")
    try store("x", file)
    await log.wait { $0 == [.created] }
    await health.wait { $0.last == .polling(every: .milliseconds(20), because: .requested) }
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test func `detects a change that keeps the size and the times`() throws {
    let file = folder.file("value")
    try Data("old".utf8).write(to: file)
    let stamp = try #require(try FileStamp(path: file.path))
    var mark = FileMark(stamp, path: file.path)
    #expect(mark.update(stamp, path: file.path) == .none)
    try Data("new".utf8).write(to: file)
    // As if the clock of the file system had not ticked.
    #expect(mark.update(stamp, path: file.path) == .content)
    #expect(mark.update(stamp, path: file.path) == .none)
  }

  @Test func `has a timer only while a poller is active, and no watch of the system`() async {
    await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
      try await pollAndStop(path)
    }
  }

  @Test func `recognizes file systems that other machines change`() {
    let shared = ["nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "fuse", "fuse.sshfs", "fuse.gcsfuse", "ceph"]
    let own = ["ext4", "xfs", "btrfs", "tmpfs", "overlay", "apfs", "hfs", "zfs", "fuseblk", "f2fs", "fusectl"]
    for type in shared { #expect(FileSystems.isChangedFromElsewhere(type), "\(type)") }
    for type in own { #expect(!FileSystems.isChangedFromElsewhere(type), "\(type)") }
  }

  #if os(Linux)
    @Test func `finds the file system of a path in the system's table`() {
      let table = MountTable(
        parsing: #"""
          22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
          23 22 0:5 / /dev rw,nosuid - devtmpfs udev rw
          30 22 0:40 / /export rw,relatime - nfs4 server:/export rw,vers=4.2
          31 30 8:2 / /export/local rw,relatime master:2 propagate_from:1 - xfs /dev/sdb1 rw
          32 22 0:41 / /mnt/with\040space\134\011 rw - 9p hostshare rw,trans=virtio
          33 22 0:42 / /over rw - ext4 /dev/sdc1 rw
          34 33 0:43 / /over rw - virtiofs share rw
          35 22 0:44 / /mnt/ssh rw,nosuid - fuse.sshfs user@host:/ rw
          nonsense
          36 22 0:45 / /cut rw
          """#)
      #expect(table.type(of: "/") == "ext4")
      #expect(table.type(of: "/etc/hosts") == "ext4")
      #expect(table.type(of: "/export") == "nfs4")
      #expect(table.type(of: "/export/user/file") == "nfs4")
      #expect(table.type(of: "/exported") == "ext4")
      #expect(table.type(of: "/export/local/deep/er") == "xfs")
      #expect(table.type(of: "/mnt/with space\\\t/x") == "9p")
      #expect(table.type(of: "/over/x") == "virtiofs")
      #expect(table.type(of: "/mnt/ssh/x") == "fuse.sshfs")
      #expect(table.type(of: "/cut") == "ext4")
      #expect(MountTable(parsing: "").type(of: "/") == nil)
    }

    @Test func `polls no local file system`() throws {
      #expect(FileSystems.silentType(of: "/") == nil)
      #expect(FileSystems.silentType(of: folder.url.path) == nil)
      #expect(try FileObserver(folder.file("value")).health.value == .active)
    }
  #endif
}

private func pollAndStop(_ path: String) async throws {
  let root = URL(filePath: path, directoryHint: .isDirectory)
  let polling = WatchPolling.always(every: .milliseconds(5))
  let log = Log<FileEvent>()
  #expect(PollBeat.beatingCount == 0)
  var subscriptions = [
    try FileObserver(root.appending(path: "value"), polling: polling).sink { log.append($0) },
    try DirectoryObserver(root, polling: polling).sink { log.append($0) },
    try DirectoryObserver(root, recursive: true, polling: polling).sink { log.append($0) },
  ]
  try store("x", root.appending(path: "value"))
  await log.wait { $0.count >= 3 }
  #expect(PollBeat.beatingCount == 1)
  #if os(Linux)
    #expect(try inotifyInstances() == [])
  #endif
  for subscription in subscriptions { subscription.cancel() }
  subscriptions = []
  try await eventually { PollBeat.beatingCount == 0 }
  // Polling starts again.
  let again = try FileObserver(root.appending(path: "again"), polling: polling).sink { log.append($0) }
  try store("x", root.appending(path: "again"))
  await log.wait { $0.contains { $0.url.lastPathComponent == "again" } }
  again.cancel()
}
