import Foundation
import SignalsKit

/// Writers are killed in the middle of their work, and nobody sees half of it.
struct KilledWriterScene: Scene {
  let isQuick: Bool
  let title = "A writer of 1 MB is killed in the middle, over and over; nobody sees a torn value"

  func play(in workplace: Workplace, on display: Display) async throws -> [Promise] {
    let directory = workplace.directory.path
    let file = try Picture.file(in: workplace.container)
    let examiner = try ChildProcess(.examiner(directory: directory))
    try await examiner.wait(for: "the first reads") { !$0.isEmpty }
    // What the examiner has seen so far; everything that is shown or judged follows from it.
    let findings = examiner.transcript.map { Findings($0.lines.last ?? "") }.property(initial: Findings())
    let killed = MutableProperty(0)
    let kills = isQuick ? 8 : 25
    let progress = combineLatest(killed, findings).sink { killed, findings in
      display.progress("\(killed) of \(kills) writers killed; \(findings)")
    }

    var freed = Latencies()
    var caught = 0
    // Where a writer prepares the content that then takes the place of the old one in one step.
    let unfinished = file.url.deletingLastPathComponent().appending(path: ".shared/\(file.url.lastPathComponent).tmp")
      .path
    for number in 1...kills {
      let writer = try ChildProcess(.painter(directory: directory))
      try await writer.wait(for: "ready")
      // Any moment may be the worst one, so strike at another one each time; but mostly when a new file is half
      // written.
      try await Task.sleep(for: .microseconds(.random(in: 0...10_000)))
      if !number.isMultiple(of: 4) { await lieInWait(for: unfinished) }
      writer.killNow()
      if Self.exists(unfinished) { caught += 1 }
      let begin = Latencies.now()
      // Would never be done if the dead writer still held the lock.
      try await finish("an update after writer \(number) was killed") {
        try await file.update { $0 = $0.next }
      }
      freed.add(Latencies.now() - begin)
      killed.value = number
    }
    progress.cancel()
    guard !examiner.transcript.value.hasEnded else { throw Disappointment("The reading process has ended") }
    let seen = findings.value
    display.line("  \(kills) writers killed, \(caught) of them with a file half written; another process saw \(seen)")
    return [
      Promise("Nobody sees a torn value", isKept: seen.torn == 0 && seen.reads > 0, seen: "\(seen)"),
      Promise(
        "A dead writer holds no lock",
        isKept: freed.count == kills,
        seen:
          "after each of \(freed.count) kills the next update was done within \(Latencies.text(freed.percentile(1)))"
      ),
      Promise(
        "A dead writer leaves no litter behind",
        isKept: caught > 0 && !Self.exists(unfinished),
        seen: "\(caught) half written files, and all are gone"
      ),
    ]
  }

  /// Returns in the moment in which a writer begins a file, or after a while.
  ///
  /// It looks again and again, because a notification would come when the file is finished.
  private func lieInWait(for path: String) async {
    let end = Latencies.now() + 100_000_000
    while !Self.exists(path), Latencies.now() < end { await Task.yield() }
  }

  private static func exists(_ path: String) -> Bool {
    access(path, F_OK) == 0
  }
}
