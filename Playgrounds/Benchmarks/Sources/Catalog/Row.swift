/// One line of work that is measured: ours beside a peer or what the bare machine needs.
public struct Row: Sendable {
  /// The row's name in the benchmarks: `id` and a contender, with a dot between.
  public let id: String

  /// What is measured, in words.
  public let title: String

  /// How many operations one measurement covers: a power of a thousand.
  public let block: Int

  /// How many deliveries one operation makes, if the row is about these.
  public let deliveries: Int

  /// Whether the operation is slow, so that it takes seconds to measure it.
  public let isSlow: Bool

  /// Whether what counts is not how long the operation takes but when another process sees its effect.
  public let isLatency: Bool

  /// Who is measured besides ours.
  public let others: [String]

  /// How fast ours should be, if there is something to hold it against.
  public let aim: Aim?

  /// Makes a row; the defaults are those of a fast operation in one process.
  public init(
    _ id: String,
    _ title: String,
    block: Int = 1_000,
    deliveries: Int = 1,
    isSlow: Bool = false,
    isLatency: Bool = false,
    beside others: [String] = [],
    aim: Aim? = nil
  ) {
    self.id = id
    self.title = title
    self.block = block
    self.deliveries = deliveries
    self.isSlow = isSlow
    self.isLatency = isLatency
    self.others = others
    self.aim = aim
  }
}

/// How fast ours should be: a multiple of something measured in the same run, since nanoseconds move with the machine.
public struct Aim: Sendable {
  /// The benchmark to compare with, as `row.contender`, or just the contender if it is of the same row.
  public let reference: String

  /// The most that ours may take, in multiples of the reference.
  public let ratio: Double

  /// Ours must take at most `ratio` times what `reference` takes.
  public static func atMost(_ ratio: Double, of reference: String) -> Aim {
    Aim(reference: reference, ratio: ratio)
  }
}

/// The name of our own contender.
public let ours = "Signals"
