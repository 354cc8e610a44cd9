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
    try await examiner.lines.wait(for: "the first reads") { !$0.isEmpty }

    let kills = isQuick ? 8 : 25
    var freed = Latencies()
    for number in 1...kills {
      let writer = try ChildProcess(.scribe(directory: directory))
      try await writer.wait(for: "ready")
      // Any moment will do, as long as it is another one each time.
      try await Task.sleep(for: .milliseconds(Int.random(in: 0...20)))
      writer.killNow()
      let begin = Latencies.now()
      // Waits for ever if the dead writer still held the lock.
      try await file.update { document in document = Document(generation: document.generation + 1) }
      freed.add(Latencies.now() - begin)
      display.progress("\(number) of \(kills) writers killed; \(Self.report(of: examiner).reads) reads, all whole")
    }
    let (reads, torn) = Self.report(of: examiner)
    let rests = try FileManager.default.subpathsOfDirectory(atPath: directory).filter { $0.hasSuffix(".tmp") }.count
    display.line("  \(kills) writers killed while another process read the file \(reads) times: \(torn) torn or empty")
    return [
      Promise("Nobody sees a torn value", isKept: torn == 0 && reads > 0, seen: "\(torn) of \(reads) reads"),
      Promise(
        "A dead writer holds no lock",
        isKept: freed.count == kills,
        seen: "the next update was done within \(Latencies.text(freed.percentile(1))) each time"
      ),
      Promise("A dead writer leaves no litter behind", isKept: rests == 0, seen: "\(rests) temporary files remain"),
    ]
  }

  private static func report(of examiner: ChildProcess) -> (reads: Int, torn: Int) {
    let numbers = examiner.lines.value.last?.split(separator: " ").compactMap { Int($0) } ?? []
    return numbers.count == 2 ? (numbers[0], numbers[1]) : (0, 0)
  }
}
