import TestSupport
import Testing

extension Trait where Self == TimeLimitTrait {
  /// Ends what hangs, after a time that only a failure reaches.
  static var patient: Self { .timeLimit(.minutes(Scale.isTorture ? 60 : 5)) }
}
