/// The combined answer of all providers for a tweak.
struct TweakResolution: Sendable, Equatable {
  /// The effective tweak, or the reason why there is none.
  var result: Result<Tweak, TweakError>

  /// The answers of providers below, in order, for reads of a type that the first one does not have.
  var alternatives: [Tweak] = []

  /// Compares two resolutions, much faster than the generic comparison of results.
  static func == (first: TweakResolution, second: TweakResolution) -> Bool {
    switch (first.result, second.result) {
    case (.success(let one), .success(let other)) where one != other: false
    case (.failure(let one), .failure(let other)) where one != other: false
    case (.success, .success), (.failure, .failure): first.alternatives == second.alternatives
    default: false
    }
  }

  /// The effective tweak.
  var tweak: Tweak? { if case .success(let tweak) = result { tweak } else { nil } }
}
