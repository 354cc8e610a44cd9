import Foundation
import SignalsKit

/// Everything that is stored is switched for something else, and other processes follow; also if who switches is
/// killed.
struct EnvironmentScene: Scene {
  let isQuick: Bool
  let title = "Three environments in one directory; another process follows each switch"

  func play(in workplace: Workplace, on display: Display) async throws -> [Promise] {
    let root = workplace.directory.appending(path: "environments", directoryHint: .isDirectory)
    let app = try AppContainer(home: root)
    let greeting = try Greeting.file(in: app)
    let fileCount = isQuick ? 300 : 3_000
    var environments = [app.active.value]
    for name in ["Work", "Archive"] { environments.append(try app.create(name: name)) }
    for environment in environments {
      try await app.activate(environment)
      try await greeting.write(environment.name)
    }
    try Self.fill(root.appending(path: "Papers"), fileCount)

    let follower = try ChildProcess(.tenant(directory: root.path))
    try await follower.wait(for: "ready")
    let switches = isQuick ? 12 : 60
    var took = Latencies()
    var (seen, expected) = (0, ["sees Archive"])
    for number in 0..<switches {
      let next = environments[number % 3]
      let begin = Latencies.now()
      try await app.activate(next)
      took.add(Latencies.now() - begin)
      // The last one was active already in the beginning.
      expected.append("sees \(next.name)")
      let so = expected
      try await follower.wait(for: "what \(next.name) holds") { Self.sights($0) == so }
      seen += 1
      display.progress("\(number + 1) of \(switches) switches, each among \(fileCount) files")
    }
    let usual = Latencies.text(took.percentile(0.5))
    display.line("  \(switches) switches, p50 \(usual); another process saw \(seen) of them")

    let kills = isQuick ? 4 : 12
    var whole = 0
    for number in 1...kills {
      let switcher = try ChildProcess(.switcher(directory: root.path))
      try await switcher.wait(for: "ready")
      try await Task.sleep(for: .microseconds(.random(in: 0...20_000)))
      switcher.killNow()
      // Each is what it was, whichever the dead process had begun to put in place.
      var isWhole = true
      for environment in environments {
        try await app.activate(environment)
        let papers = Self.count(root.appending(path: "Papers"))
        let due = environment.name == "Archive" ? fileCount : 0
        isWhole = isWhole && greeting.value == environment.name && papers == due
      }
      whole += isWhole ? 1 : 0
      display.progress("\(number) of \(kills) killed while they switched")
    }
    display.line("  \(kills) processes killed while they switched; all three environments were whole after \(whole)")
    return [
      Promise("Who looks on follows every switch", isKept: seen == switches, seen: "\(seen) of \(switches), in order"),
      Promise(
        "A killed switch leaves one environment, complete", isKept: whole == kills,
        seen: "all of \(fileCount) files and three values after \(whole) of \(kills) kills"),
    ]
  }

  private static func sights(_ lines: [String]) -> [String] { lines.filter { $0.hasPrefix("sees") } }

  private static func fill(_ folder: URL, _ count: Int) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for number in 0..<count {
      guard FileManager.default.createFile(atPath: folder.appending(path: "\(number)").path, contents: nil) else {
        throw Disappointment("A file could not be made in \(folder.path)")
      }
    }
  }

  private static func count(_ folder: URL) -> Int {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder.path).count
    } catch {
      return 0
    }
  }
}
