import Foundation
import SignalsKit

/// Shows, with real processes, what it means to share a value.
///
/// Without a role this process is the guide: it starts other copies of itself, which read and write the same files, watches
/// them, and judges whether every promise was kept.
@main
struct Tour {
  static func main() async {
    do {
      switch try Options(CommandLine.arguments.dropFirst()).command {
      case .help: print(Options.help)
      case .child(let role): try await role.run()
      case .follow(let path, let seconds): try await FileFollower(path: path).run(for: seconds)
      case .guide(let isQuick): exit(try await guide(isQuick: isQuick))
      }
    } catch let error as UsageError {
      complain("\(error)\n\n\(Options.help)")
      exit(64)
    } catch {
      complain("tour: \(error)")
      exit(1)
    }
  }

  /// Walks through all scenes.
  ///
  /// - Returns: The exit status: 0 if every promise was kept.
  private static func guide(isQuick: Bool) async throws -> CInt {
    let workplace = try Workplace()
    defer { workplace.remove() }
    let begin = Latencies.now()
    let display = Display()
    display.title("Signals: state that several processes share")
    display.note("Everything you see happens in real processes, on files in \(workplace.directory.path).")

    let scenes: [any Scene] = [
      ArrivalScene(isQuick: isQuick), CountingScene(isQuick: isQuick), KilledWriterScene(isQuick: isQuick),
      ForeignProgramsScene(),
    ]
    var promises: [Promise] = []
    for (index, scene) in scenes.enumerated() {
      display.heading("\(index + 1). \(scene.title)")
      promises += await play(scene, in: workplace, on: display)
    }
    let seconds = String(format: "%.1f", Double(Latencies.now() - begin) / 1e9)
    return display.summarize(
      promises, after: "\(ChildProcess.census.value.startedCount) child processes and \(seconds) seconds")
  }

  /// Plays a scene to its end; if it does not come to one, that is a broken promise, and the tour goes on.
  private static func play(_ scene: some Scene, in workplace: Workplace, on display: Display) async -> [Promise] {
    do {
      return try await scene.play(in: workplace, on: display)
    } catch {
      display.line("  \(error)")
      return [Promise(brokenBy: error, in: scene)]
    }
  }

  private static func complain(_ message: String) {
    FileHandle.standardError.write(Data((message + "\n").utf8))
  }
}
