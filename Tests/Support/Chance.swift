/// Random numbers that a seed repeats (SplitMix64).
public struct Chance: RandomNumberGenerator {
  /// The seed of this run: `SIGNALS_SEED`, or a random one.
  public static let seed = Scale.seed ?? .random(in: .min ... .max)

  private var state: UInt64

  /// Creates a generator with a seed.
  public init(seed: UInt64) {
    state = seed
  }

  /// Creates a generator with the seed of this run; the test has the trait `seeded`.
  public init() {
    self.init(seed: Self.seed)
  }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 up to, and not including, a bound.
  public mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  /// Returns `true` at random, on average once in `count` calls.
  public mutating func once(in count: Int) -> Bool { number(below: count) == 0 }
}
