import CLibrary
import Testing
@testable import FileSignals

/// A program may give a file any time.
@Suite struct `The ages of files` {
  @Test(arguments: [0, 1_800_000_000, Int.min, .max])
  func `a file may have any time at any time`(now: Int) {
    #expect(FileStamp.age(of: .seconds(Int.min), at: .seconds(now)) >= .zero)
    #expect(FileStamp.age(of: .seconds(Int.max), at: .seconds(now)) <= .zero)
    #expect(FileStamp.age(of: .seconds(now), at: .seconds(now)) == .zero)
  }

  @Test func `an age is the time until now, and negative if the time is in the future`() {
    let today = Duration.seconds(1_700_000_000)
    #expect(FileStamp.age(of: today - .seconds(5), at: today) == .seconds(5))
    #expect(FileStamp.age(of: today + .seconds(5), at: today) == .seconds(-5))
    #expect(FileStamp.age(of: today) > .zero)
  }

  #if os(Linux)
    private func stamp(changedAt nanoseconds: Int64) -> FileStamp {
      var status = stat()
      status.st_ctim = timespec(
        tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
      return FileStatus(status).stamp
    }

    @Test func `stamps with any two times show whether the clock is fine`() {
      #expect(stamp(changedAt: 1_000).isFine(since: stamp(changedAt: 0)))
      #expect(!stamp(changedAt: .max).isFine(since: stamp(changedAt: .min)))
      #expect(!stamp(changedAt: .min).isFine(since: stamp(changedAt: 0)))
    }
  #endif
}
