@testable import AppGroups
import CLibrary
import FileSignals
import Foundation
import Testing

@Suite("Log: what a reader does after each step")
struct ProducerProgressTests {
  private let producer = UUID()
  private let url = URL(filePath: "/log/segment", directoryHint: .notDirectory)

  /// The answers to steps in one segment, and the errors that were reported.
  private final class Steps {
    var progress: ProducerProgress
    var isWritten = true
    private(set) var errors: [AppGroupsLogError] = []
    private let url: URL

    init(_ progress: ProducerProgress, _ url: URL) {
      self.progress = progress
      self.url = url
    }

    func take(_ step: SegmentReader.Step, of segment: UInt64 = 1, isCheck: Bool = false) -> String {
      let action = progress.take(
        step, of: segment, at: url, isCheck: isCheck, isUnwritten: { !isWritten }, { errors.append($0) })
      return switch action {
      case .deliver(let record): "deliver \(record.sequence)"
      case .readOn: "read on"
      case .leave: "leave"
      case .fail: "fail"
      case .wait: "wait"
      }
    }

    func enter(_ segment: UInt64, firstSequence: UInt64) {
      progress.enter(segment, firstSequence: firstSequence) { errors.append($0) }
    }

    func pass(_ segment: UInt64, _ error: AppGroupsLogError) -> Bool {
      progress.pass(segment, because: error) { errors.append($0) }
    }
  }

  private func steps(
    _ segments: [UInt64] = [1], from position: LogPosition = .beginning, upTo limit: LogPosition? = nil
  ) -> Steps {
    let steps = Steps(ProducerProgress(producer, from: position, upTo: limit), url)
    steps.progress.update(segments)
    steps.progress.begin()
    return steps
  }

  private func record(_ sequence: UInt64) -> SegmentReader.Step {
    .record(LogRecord(sequence: sequence, time: sequence, payload: Data(), end: 100 * sequence))
  }

  private func damage(next: UInt64?) -> SegmentReader.Step {
    .damaged(SegmentDamage(bytes: 100..<200, lostEvents: next.map { $0 - 2 }, next: next, reason: "test"))
  }

  @Test func `a record that was read before is passed over`() {
    let steps = steps(from: LogPosition(segment: 1, offset: 50, sequence: 2))
    #expect([1, 2, 3].map { steps.take(record($0)) } == ["read on", "read on", "deliver 3"])
    #expect(steps.progress.position == LogPosition(segment: 1, offset: 300, sequence: 3))
  }

  @Test func `the end of a segment leads to the next one, or waits for it`() {
    let steps = steps([1, 3])
    #expect(steps.take(.end) == "leave")
    #expect(steps.progress.segment == 3)
    #expect(steps.take(.end, of: 3) == "wait")
    steps.progress.update([4])
    #expect(steps.take(.end, of: 3) == "leave")
  }

  @Test func `an unfinished record is read again while its writer lives, at most three times in doubt`() {
    let steps = steps()
    for attempt in 1...3 {
      #expect(steps.progress.stage(of: 1) == .growing)
      #expect(steps.take(.doubtful(size: 120)) == "wait")
      #expect(steps.progress.isInDoubt == (attempt < 3))
      #expect(steps.progress.isBlocked == (attempt == 3))
    }
    #expect(steps.progress.stage(of: 1) == .settled)
    // It has grown, so it is being written.
    #expect(steps.take(.doubtful(size: 130)) == "wait")
    #expect(steps.progress.isInDoubt)
    steps.isWritten = false
    #expect(steps.take(.doubtful(size: 130)) == "read on")
    #expect(steps.progress.stage(of: 1) == .sealed)
  }

  @Test func `a check without doubt asks for no writer`() {
    let steps = steps()
    steps.isWritten = false
    #expect(steps.take(.doubtful(size: 120), isCheck: true) == "wait")
    #expect(!steps.progress.isInDoubt && steps.progress.stage(of: 1) == .growing)
  }

  @Test func `damage is reported once, and a record after it is delivered`() {
    let steps = steps()
    steps.enter(1, firstSequence: 1)
    #expect(steps.take(damage(next: nil)) == "wait")
    #expect(steps.take(damage(next: nil)) == "wait")
    #expect(steps.errors.count == 1)
    #expect(steps.take(damage(next: 4)) == "read on")
    #expect(steps.progress.position == LogPosition(segment: 1, offset: 200, sequence: 3))
    #expect(steps.take(record(4)) == "deliver 4")
  }

  @Test func `damage to the end of a segment that nobody writes is left behind`() {
    let steps = steps()
    steps.isWritten = false
    #expect(steps.take(damage(next: nil)) == "read on")
    #expect(steps.take(damage(next: nil)) == "leave")
    #expect(steps.progress.position == LogPosition(segment: 2, offset: 0, sequence: 0, isBroken: true))
  }

  @Test func `a failed read moves nothing, and is reported once`() {
    let steps = steps()
    let error = AppGroupsLogError.inaccessible(DurableFileError(EIO, "read", url))
    for _ in 1...3 { #expect(steps.take(.failed(error)) == "fail") }
    #expect(steps.errors == [error])
    #expect(steps.progress.position == .beginning)
    #expect(steps.progress.segments == [1])
    #expect(steps.take(record(1)) == "deliver 1")
    #expect(steps.take(.failed(error)) == "fail")
    #expect(steps.errors == [error, error])
  }

  @Test func `events that are missing between two segments are reported`() {
    let steps = steps([4], from: LogPosition(segment: 1, offset: 300, sequence: 3))
    steps.enter(4, firstSequence: 7)
    #expect(steps.errors == [.missing(producer: producer, after: 3, before: 7)])
    #expect(steps.progress.position.sequence == 6)
  }

  @Test func `a segment that is gone is skipped, and one that cannot be opened is waited for`() {
    let steps = steps([1, 2])
    #expect(steps.pass(1, .inaccessible(.notFound(url))))
    #expect(steps.progress.segment == 2)
    #expect(!steps.pass(2, .inaccessible(DurableFileError(EIO, "read", url))))
    #expect(steps.progress.segment == 2 && steps.errors.count == 1)
    #expect(steps.pass(2, .damaged(url, bytes: 0..<9, lostEvents: nil, reason: "test")))
    #expect(steps.progress.segment == nil && steps.progress.position.isBroken)
  }

  @Test func `nothing is read beyond a limit, and events missing before it are reported`() {
    let steps = steps(upTo: LogPosition(segment: 1, offset: 200, sequence: 2))
    steps.enter(1, firstSequence: 1)
    #expect(!steps.progress.isAtLimit && steps.progress.stage(of: 1) == .settled)
    #expect(steps.take(record(1)) == "deliver 1")
    var errors: [AppGroupsLogError] = []
    steps.progress.reportMissingEnd { errors.append($0) }
    #expect(errors == [.missing(producer: producer, after: 1, before: 3)])
    #expect(steps.take(record(2)) == "deliver 2")
    #expect(steps.progress.isAtLimit)
  }

  @Test func `a producer is asked for its end ever more rarely`() {
    var progress = ProducerProgress(producer, from: .beginning)
    let due = (1...300).filter { _ in progress.noteCheck(hasFound: false) }
    #expect(due == [1, 16, 256])
    let later = [true, false].map { progress.noteCheck(hasFound: $0) }
    #expect(later == [false, true])
  }
}
