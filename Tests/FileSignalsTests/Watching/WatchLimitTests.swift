#if os(Linux)
  import FileSignals
  import Foundation
  import TestSupport
  import Testing

  /// Limits reached by a separate process, in a user namespace where they can be lowered for it alone.
  @Suite(.enabled("user namespaces are not allowed here, so no limit can be lowered", { hasUserNamespaces() }))
  struct `When the system allows no more watches` {
    let folder: TemporaryDirectory
    let peer: PeerProcess

    init() throws {
      folder = try TemporaryDirectory()
      peer = try PeerProcess(
        executable: URL(filePath: "/usr/bin/unshare"), arguments: ["-Ur", PeerProcess.builtExecutable.path])
    }

    private func expect(_ event: String) async throws {
      try await peer.events.first(event, timeout: .seconds(240)) { $0.contains(event) }
    }

    @Test func `an observer that must not poll reports the failure`() async throws {
      try await peer.send("limit-watching max_inotify_watches 1")
      await #expect {
        try await peer.send("watch-file \(folder.file("value").path) never")
      } throws: {
        "\($0)".contains("the limit of 1 watches")
      }
      try await peer.send("limit-watching max_inotify_watches 1000")
      try await peer.send("watch-file \(folder.file("value").path) never")
      try store("x", folder.file("value"))
      try await expect("file created")
    }

    @Test func `a file is polled until watches are available`() async throws {
      let file = folder.file("value")
      try await peer.send("limit-watching max_inotify_watches 1")
      try await peer.send("watch-file \(file.path) 20")
      try await expect("health polling(every: 0.02 seconds, because")
      try await expect("the limit of 1 watches")
      try store("x", file)
      try await expect("file created")
      try await peer.send("limit-watching max_inotify_watches 1000")
      try await expect("health active")
      try Data("y".utf8).write(to: file)
      try await expect("file modified")
    }

    @Test func `a tree is polled where it has no watches, until it has`() async throws {
      for index in 0..<30 { _ = try folder.makeFolder("\(index)") }
      try await peer.send("limit-watching max_inotify_watches 20")
      try await peer.send("watch-tree \(folder.url.path) 20")
      try await expect("health polling")
      for index in 0..<30 { try Data().write(to: folder.file("\(index)/file")) }
      for index in 0..<30 { try await expect("tree created \(folder.file("\(index)/file").path)") }
      try await peer.send("limit-watching max_inotify_watches 1000")
      try await expect("health active")
      for index in 0..<30 { try FileManager.default.removeItem(at: folder.file("\(index)/file")) }
      for index in 0..<30 { try await expect("tree deleted \(folder.file("\(index)/file").path)") }
    }

    @Test func `a tree that grows too large and must not be polled is reported as impaired, and recovers`() async throws
    {
      try await peer.send("limit-watching max_inotify_watches 20")
      try await peer.send("watch-tree \(folder.url.path) never")
      try await expect("health active")
      for index in 0..<30 { _ = try folder.makeFolder("\(index)") }
      try await expect("health impaired(")
      for index in 0..<30 { try Data().write(to: folder.file("\(index)/file")) }
      try await peer.send("limit-watching max_inotify_watches 1000")
      // The next attempt of the observer finds the missed changes.
      for index in 0..<30 { try await expect("tree created \(folder.file("\(index)/file").path)") }
      try await peer.events.wait(timeout: .seconds(240)) { $0.last { $0.hasPrefix("health") } == "health active" }
    }

    @Test func `without an inotify instance, files are polled until one is available`() async throws {
      let file = folder.file("value")
      try await peer.send("limit-watching max_inotify_instances 0")
      await #expect { try await peer.send("watch-file \(file.path) never") } throws: {
        "\($0)".contains("No file descriptor is left")
      }
      try await peer.send("watch-file \(file.path) 20")
      try await expect("health polling")
      try await expect("No file descriptor is left")
      try store("x", file)
      try await expect("file created")
      try await peer.send("limit-watching max_inotify_instances 100")
      try await expect("health active")
    }
  }

  @Suite(.patient) struct `A process frozen until the system lost events` {
    @Test func `all its observers read again`() async throws {
      let folder = try TemporaryDirectory()
      let peer = try PeerProcess()
      let (file, other) = (folder.file("value"), folder.file("tree/deep/other"))
      _ = try folder.makeFolder("tree/deep")
      try await peer.send("watch-file \(file.path) never")
      try await peer.send("watch-tree \(folder.file("tree").path) never")
      peer.signal(SIGSTOP)
      try await onThread {
        for _ in 0..<12_000 {
          for url in [file, other] {
            close(open(url.path, O_WRONLY | O_CREAT, 0o600))
          }
        }
        try folder.makeFolder("tree/unseen").withFile("x")
      }
      peer.signal(SIGCONT)
      for event in ["file rescan", "tree rescan"] {
        try await peer.events.first(event, timeout: .seconds(240)) { $0.hasPrefix(event) }
      }
      // Also where no watch existed before.
      try folder.file("tree/unseen").withFile("y")
      let event = "tree created \(folder.file("tree/unseen/y").path)"
      try await peer.events.first(event, timeout: .seconds(240)) { $0 == event }
    }
  }

  private func hasUserNamespaces() -> Bool {
    system("unshare -Ur sh -c 'echo 10 > /proc/sys/user/max_inotify_watches' 2> /dev/null") == 0
  }
#endif
