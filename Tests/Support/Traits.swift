import CLibrary
public import Testing

extension Trait where Self == TimeLimitTrait {
  /// A time limit for tests that fail by hanging; a test that passes never reaches it.
  public static var patient: Self { .timeLimit(.minutes(Scale.isTorture ? 60 : 5)) }
}

extension Trait where Self == Comment {
  /// A comment with the seed of this run, printed if the test fails.
  ///
  /// Use it for every test that draws random numbers from ``Chance/init()``.
  public static var seeded: Self { "SIGNALS_SEED=\(Chance.seed)" }
}

extension Trait where Self == ConditionTrait {
  /// A condition for tests that mount file systems or act as another user.
  public static var asRoot: Self { .enabled(if: geteuid() == 0, "only root can mount, or act as another user") }
}
