/// A part of the tour.
protocol Scene: Sendable {
  /// What the scene is about.
  var title: String { get }

  /// Plays the scene.
  ///
  /// - Returns: What was promised and seen.
  /// - Throws: What kept the scene from coming to an end, which breaks a promise, too.
  func play(in workplace: Workplace, on display: Display) async throws -> [Promise]
}
