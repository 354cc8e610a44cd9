/// What all providers together say of a tweak.
struct TweakResolution: Sendable, Equatable {
  /// The tweak that is in force, or why there is none.
  var result: Result<Tweak, TweakError>

  /// What providers below said, for when the first is not of the type that is asked for; in order.
  var alternatives: [Tweak] = []

  /// Compares without asking how results are compared in general, which takes longer than all the rest.
  static func == (first: TweakResolution, second: TweakResolution) -> Bool {
    switch (first.result, second.result) {
    case (.success(let one), .success(let other)) where one != other: false
    case (.failure(let one), .failure(let other)) where one != other: false
    case (.success, .success), (.failure, .failure): first.alternatives == second.alternatives
    default: false
    }
  }

  /// The value in force.
  var tweak: Tweak? { if case .success(let tweak) = result { tweak } else { nil } }
}
