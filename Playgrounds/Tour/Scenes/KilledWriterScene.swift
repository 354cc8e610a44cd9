import Foundation
import SignalsKit

/// Writers are killed in the middle of their work, and nobody sees half of it.
struct KilledWriterScene: Scene {
  let isQuick: Bool
  let title = "A writer of 300 KB is killed in the middle, over and over; nobody sees a torn value"

  func play(in workplace: Workplace, on display: Display) async throws -> [Promise] {
    let directory = workplace.directory.path
    let file = try Document.file(in: workplace.container)
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
    for number in 1...kills {
      let writer = try ChildProcess(.scribe(directory: directory))
      try await writer.wait(for: "ready")
      // Any moment will do, as long as it is another one each time.
      try await Task.sleep(for: .microseconds(.random(in: 0...20_000)))
      writer.killNow()
      if try unfinishedFiles(in: workplace) > 0 { caught += 1 }
      let begin = Latencies.now()
      // Would never be done if the dead writer still held the lock.
      try await finish("an update after writer \(number) was killed") {
        try await file.update { document in document = Document(generation: document.generation + 1) }
      }
      freed.add(Latencies.now() - begin)
      killed.value = number
    }
    progress.cancel()
    guard !examiner.transcript.value.hasEnded else { throw Disappointment("The reading process has ended") }
    let seen = findings.value
    let rests = try unfinishedFiles(in: workplace)
    display.line("  \(kills) writers killed, \(caught) of them with a file half written; another process saw \(seen)")
    return [
      Promise("Nobody sees a torn value", isKept: seen.torn == 0 && seen.reads > 0, seen: "\(seen)"),
      Promise(
        "A dead writer holds no lock",
        isKept: freed.count == kills,
        seen:
          "after each of \(freed.count) kills the next update was done within \(Latencies.text(freed.percentile(1)))"
      ),
      Promise("A dead writer leaves no litter behind", isKept: rests == 0, seen: "\(rests) temporary files remain"),
    ]
  }

  /// How many files lie beside the document that a writer has begun and not yet put into its place.
  private func unfinishedFiles(in workplace: Workplace) throws -> Int {
    try FileManager.default.subpathsOfDirectory(atPath: workplace.directory.path).filter { $0.hasSuffix(".tmp") }.count
  }
}
