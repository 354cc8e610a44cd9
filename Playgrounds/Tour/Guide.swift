import SignalsKit

/// Leads through all scenes, and judges whether every promise was kept.
struct Guide {
  let isQuick: Bool

  /// Walks to the end, or until the user has enough.
  ///
  /// - Returns: The exit status: 0 if every promise was kept.
  /// - Throws: What keeps the tour from beginning.
  func walk() async throws -> CInt {
    let interruption = Interruption()
    let workplace = try Workplace()
    defer { workplace.remove() }
    let display = Display()
    let promises = Task { try await play(in: workplace, on: display) }
    // The scenes end their processes on the way out, and only then is the workplace removed.
    let ending = interruption.number.compactMap(\.self).sink { _ in promises.cancel() }
    defer { ending.cancel() }

    let begin = Latencies.now()
    let outcome = await promises.result
    if let number = interruption.number.value {
      display.clear()
      return 128 + number
    }
    let effort = "\(ChildProcess.startedCount.value) child processes and \(Latencies.seconds(since: begin))"
    return try display.summarize(outcome.get(), after: effort)
  }

  private func play(in workplace: Workplace, on display: Display) async throws -> [Promise] {
    display.title("Signals: state that several processes share")
    display.note("Everything you see happens in real processes, on files in \(workplace.directory.path).")
    let scenes: [any Scene] = [
      ArrivalScene(isQuick: isQuick), CountingScene(isQuick: isQuick), KilledWriterScene(isQuick: isQuick),
      ForeignProgramsScene(), EnvironmentScene(isQuick: isQuick), SessionScene(isQuick: isQuick),
      FlagScene(isQuick: isQuick), FleetScene(isQuick: isQuick),
    ]
    // The scene of foreign programs is about a file that those change.
    let witness = try ChangeWitness(workplace, besides: ["file/theme.json"])
    var promises: [Promise] = []
    for (index, scene) in scenes.enumerated() {
      display.heading("\(index + 1). \(scene.title)")
      do {
        promises += try await scene.play(in: workplace, on: display)
      } catch {
        // Whatever keeps a scene from its end is a broken promise, unless it is the user.
        try Task.checkCancellation()
        display.line("  \(error)")
        promises.append(Promise(brokenBy: error, in: scene))
      }
      try Task.checkCancellation()
    }
    promises.append(await witness.judge())
    return promises
  }
}
