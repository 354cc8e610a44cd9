import FileSignals
import Foundation
import TestSupport
import Testing

/// Writes repeatedly until this process is killed during a write.
private func writeUntilKilled(_ path: String, _ size: Int, after delay: useconds_t) throws {
  Thread.detachNewThread {
    usleep(delay)
    kill(getpid(), SIGKILL)
  }
  var round: UInt8 = 0
  while true {
    round &+= 1
    try DurableFile.write(Data(repeating: round, count: size), to: URL(fileURLWithPath: path), durability: .process)
  }
}

@Suite struct `A dying writer` {
  let folder: TemporaryDirectory
  let file: URL

  init() throws {
    folder = try TemporaryDirectory()
    file = folder.file("value")
  }

  @Test(arguments: [100, 300_000])
  func `leaves a whole file, at most one temporary file, and no lock`(_ size: Int) async throws {
    try await DurableFile.write(Data(repeating: 0, count: size), to: file)
    for delay in 1...8 {
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = file.path as String, size = size as Int, delay = delay as Int] in
        try writeUntilKilled(path, size, after: useconds_t(delay * 1700))
      }
      let content = try DurableFile.read(file)
      #expect(content.count == size)
      #expect(Set(content).count == 1)
      #expect(try folder.names() == [".shared", "value"])
      #expect(Set(try folder.names(in: ".shared")).isSubset(of: ["value.lock", "value.tmp"]))
    }
    // The lock is free, and the leftovers are reclaimed.
    try await DurableFile.write(Data("whole".utf8), to: file)
    #expect(try folder.names(in: ".shared") == ["value.lock"])
  }
}
